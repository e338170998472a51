#!/usr/bin/env bash
# Every sampler against its distribution, far into the tails, one thread:
#   scripts/tails.sh [BUILD_DIR] [DRAWS] [SEED]
# Builds the program `tails` in BUILD_DIR (default build/release) and runs it (default 1e8 draws of
# each law). docs/results/tails.md records a run; ctest draws 1e6.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target tails >&2
exec nice -n 10 "$build/tests/tails" "${2:-1e8}" "${3:-1}"
