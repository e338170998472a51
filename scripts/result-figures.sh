#!/usr/bin/env bash
# Draws docs/figures/NAME.svg from each docs/results/data/NAME.csv:
#   scripts/result-figures.sh [BUILD_DIR]
# Builds the program `result_figure` in BUILD_DIR (default build/release). The roofline's table is
# made first, from the times of docs/results/attention-forward.md (needs Python 3).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target result_figure >&2
python3 "$root/scripts/attention-roofline.py"
for table in "$root"/docs/results/data/*.csv; do
  name=$(basename "$table" .csv)
  "$build/tests/benchmarks/result_figure" "$table" "$root/docs/figures/$name.svg"
done
