#!/usr/bin/env bash
# Compares stated errors with the truth (ball arithmetic) on random problems:
#   scripts/honesty.sh [BUILD_DIR] [PROBLEMS] [FIRST] [KIND...]
# Builds the program `honesty` in BUILD_DIR (default build/release) and runs PROBLEMS problems (default
# 1000) of every kind named (default: all; `honesty list` names them), numbered from FIRST (default 1).
# scripts/honesty-jobs.sh lists the whole campaign as commands for many cores.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target honesty >&2
exec nice -n 10 "$build/tests/honesty" "${2:-1000}" "${3:-1}" "${@:4}"
