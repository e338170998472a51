#!/usr/bin/env bash
# The speed of sampling beside its peers, all in one run on an idle machine:
#   scripts/sampling-speed.sh [BUILD_DIR]
# sampling_benchmark (float and double normals, TAPA samples on one thread and on two, GSL's
# ziggurat, a loop over GSL), how much two threads gain over one in real time, then
# tests/benchmarks/numpy_peer.py where some python3 has NumPy. Beside the gain stands what two
# processes of one thread reach together: no program can gain more where that is below 2.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target sampling_benchmark >&2
program=$build/tests/benchmarks/sampling_benchmark
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg) (below 0.3: idle)"
"$program" --benchmark_repetitions=9 --benchmark_report_aggregates_only=true \
  --benchmark_format=csv 2>/dev/null >"$kept/all"
awk -F, '/_median"/ { gsub(/"/, ""); printf "%-52s %10.4g %s  %.4g/s\n", $1, $4, $5, ($NF == "" ? $(NF - 1) : $NF) }' "$kept/all"

# Samples a second of real time, of the benchmark NAME.
real_rate() { # FILE NAME
  awk -F, -v name="$2" 'index($1, name) && /_median"/ { print ($NF == "" ? $(NF - 1) : $NF) }' "$1" | head -n 1
}
one=$(real_rate "$kept/all" one_thread_real_time)
two=$(real_rate "$kept/all" two_threads)
for i in 1 2; do
  "$program" --benchmark_filter=one_thread_real_time --benchmark_repetitions=9 \
    --benchmark_report_aggregates_only=true --benchmark_format=csv 2>/dev/null >"$kept/$i" &
done
wait
both=$(awk "BEGIN { print $(real_rate "$kept/1" one_thread_real_time) + $(real_rate "$kept/2" one_thread_real_time) }")
awk "BEGIN { printf \"two threads: %.3f times one thread (%.4g against %.4g samples/s)\n\", $two / $one, $two, $one;
             printf \"two processes of one thread: %.3f times\n\", $both / $one }"

for python in python3 /usr/bin/python3; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    "$python" "$root/tests/benchmarks/numpy_peer.py"
    exit
  fi
done
echo "no python3 here has NumPy: its figures are missing"
