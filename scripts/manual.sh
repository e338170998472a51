#!/usr/bin/env bash
# The reference pages and the manual page, from what the program says of itself and from docs/schema.
#   scripts/manual.sh [PROGRAM]              writes docs/reference/*.md
#   scripts/manual.sh --check [PROGRAM]      exit 1 where they are not what would be written
#   scripts/manual.sh --man FILE [PROGRAM]   writes the manual page (needs pandoc)
# PROGRAM: build/release/tapalab unless told. Needs Python 3.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mode=write man=
case ${1-} in
  --check) mode=check && shift ;;
  --man) mode=man && man=$2 && shift 2 ;;
esac
program=${1:-$root/build/release/tapalab}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [[ $mode == man ]]; then
  python3 "$root/scripts/manual.py" man "$program" >"$scratch/tapalab.md"
  # Options keep their two hyphens; quotes stay as they are.
  pandoc -s -f markdown-smart -t man "$scratch/tapalab.md" -o "$scratch/tapalab.1"
  mv "$scratch/tapalab.1" "$man"
  exit
fi

python3 "$root/scripts/manual.py" reference "$program" "$root/docs/schema" "$scratch/reference"
if [[ $mode == write ]]; then
  mkdir -p "$root/docs/reference"
  cp "$scratch/reference/"*.md "$root/docs/reference/"
elif ! diff -ru "$root/docs/reference" "$scratch/reference"; then
  echo "docs/reference is not what the program says now; run scripts/manual.sh and commit what it writes" >&2
  exit 1
fi
