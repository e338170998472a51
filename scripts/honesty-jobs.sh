#!/bin/sh
# Prints the campaign of docs/results/honesty.md as command lines of a few minutes of one core each,
# for machines with many cores; problems are numbered from FIRST (1) on:
#   scripts/honesty-jobs.sh PROGRAM FIRST | xargs -P 32 -I{} sh -c '{}' > honesty.jsonl
set -eu
program=${1:-build/release/tests/honesty}
begin=${2:-1}
jobs() { # kind problems problems_a_job
  first=$begin
  while [ "$first" -lt $((begin + $2)) ]; do
    echo "$program $3 $first $1"
    first=$((first + $3))
  done
}
jobs both-bump 4 1
jobs both-student-t 40 4
jobs quartic 100 4
jobs student-t-joint 200 10
jobs zeros 1000 50
jobs split-student-t 600 25
jobs split-bump 600 25
for law in hermite2 gaussian sech logistic laplace uniform singular rademacher; do
  jobs split-$law 10000 250
done
for kind in gaussian mixture general rotary linear formulas; do
  jobs $kind 20000 2500
done
jobs tokens 1000 100
jobs general-tokens 1000 100
