#!/usr/bin/env bash
# docs/reference is what scripts/manual.sh would write; a page that differs, a field without a
# description and a help without an example are refused.
#   reference.sh PROGRAM SOURCE_ROOT
set -euo pipefail
program=$(realpath "$1") root=$(realpath "$2")
if ! command -v python3 >/dev/null; then
  echo "skipped: no python3"
  exit 0
fi
"$root/scripts/manual.sh" --check "$program"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/docs"
cp -r "$root/scripts" "$scratch/"
cp -r "$root/docs/reference" "$root/docs/schema" "$scratch/docs/"
# refuses WHAT: the copy with that change
refuses() {
  if "$scratch/scripts/manual.sh" --check "$program" >"$scratch/said" 2>&1; then
    echo "accepted: $1"
    exit 1
  fi
}
sed -i 's/--seq-len N/--seq-len M/' "$scratch/docs/reference/commands.md"
refuses "an option of another name"
cp "$root/docs/reference/commands.md" "$scratch/docs/reference/"
sed -i 's/"description": "in the order of the program"/"title": "Items"/' "$scratch/docs/schema/list.json"
refuses "a field without a description"
grep -q "items has no description" "$scratch/said" || { cat "$scratch/said" && exit 1; }
