#!/bin/sh
# Prints the campaign of docs/results/honesty.md as command lines of a few minutes of one core each,
# for machines with many cores:
#   scripts/honesty-jobs.sh PROGRAM | xargs -P 32 -I{} sh -c '{}' > honesty.jsonl
set -eu
program=${1:-build/release/tests/honesty}
jobs() { # kind problems problems_a_job
  first=1
  while [ "$first" -le "$2" ]; do
    echo "$program $3 $first $1"
    first=$((first + $3))
  done
}
jobs both-bump 200 2
jobs both-student-t 300 20
jobs split-student-t 600 50
jobs split-bump 600 50
jobs zeros 2000 500
jobs student-t-joint 400 20
jobs quartic 400 20
jobs tokens 20000 5000
jobs general-tokens 20000 5000
for law in gaussian sech logistic hermite2 laplace uniform singular rademacher; do
  jobs split-$law 12000 1000
done
for kind in gaussian mixture general rotary linear formulas; do
  jobs $kind 20000 5000
done
