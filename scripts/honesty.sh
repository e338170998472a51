#!/bin/sh
# Compares stated errors with the truth (ball arithmetic) on PROBLEMS random problems of each kind (a
# fiftieth for student-t and bump); 10000 take about a quarter of an hour of one idle core:
#   scripts/honesty.sh [BUILD] [PROBLEMS]
set -eu
build=${1:-build/release}
TAPALAB_HONESTY_PROBLEMS=${2:-10000}
export TAPALAB_HONESTY_PROBLEMS
exec "$build/tests/test_proofs-check" "stated errors*"
