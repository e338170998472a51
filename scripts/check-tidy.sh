#!/usr/bin/env bash
# check-tidy.sh BUILD: the checks of .clang-tidy over every tracked source of the product that
# BUILD/compile_commands.json compiles, as many at once as there are cores.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
cd "$root"
# GCC's flags that clang does not know are no finding.
git -c safe.directory='*' ls-files -z 'sim/*.cpp' 'analysis/*.cpp' 'proofs-check/*.cpp' 'cli/*.cpp' |
  xargs -0 -r -n 1 -P "$(nproc)" "${CLANG_TIDY:-clang-tidy-14}" --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option
