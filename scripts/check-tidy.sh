#!/usr/bin/env bash
# check-tidy.sh BUILD: the checks of .clang-tidy over every tracked source of the product that
# BUILD/compile_commands.json compiles, as many at once as there are cores.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
cd "$root"
# The precompiled header of GCC is of no use to clang, and would be read in full for every source.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//' "$build/compile_commands.json" >"$commands/compile_commands.json"
git -c safe.directory='*' ls-files -z 'sim/*.cpp' 'analysis/*.cpp' 'proofs-check/*.cpp' 'cli/*.cpp' |
  xargs -0 -r -n 1 -P "$(nproc)" "${CLANG_TIDY:-clang-tidy-14}" --quiet -p "$commands" \
    --extra-arg=-Wno-unknown-warning-option
