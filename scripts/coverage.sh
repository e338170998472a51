#!/usr/bin/env bash
# Coverage of nominal 95% intervals over many seeds, one thread:
#   scripts/coverage.sh [BUILD_DIR] [SEEDS] [FIRST_SEED] [CASES]
# Builds the program `coverage` in BUILD_DIR (default build/release) and runs it (default 20000
# seeds, from 1). CASES is the beginning of the names of those to run ("qmc tapa"; default all).
# docs/results/coverage.md records a run; ctest runs 100 seeds.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target coverage >&2
exec nice -n 10 "$build/tests/coverage" "${2:-20000}" "${3:-1}" "${4:-}"
