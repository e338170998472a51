#!/usr/bin/env bash
# Does `verify` notice wrong formulas? Runs it once for each seeded fault (sim/mutants.hpp,
# scripts/mutants.txt) and counts those that change a verdict.
#   scripts/mutation.sh [--subset] [--program FILE] [--out FILE.md]
# --program: built with -DTAPALAB_MUTANTS=ON (default: build/mutants, which is built if missing).
# --subset: the faults marked with * in the list, each on the claims that it names alone: a few
# seconds, for continuous integration. --out: a table of what was found, to be kept.
# Exit code 0 when at least 95% are noticed, 1 when fewer, 2 for wrong arguments.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
list=$root/scripts/mutants.txt
program= out= subset=0
while (($#)); do
  case $1 in
    --subset) subset=1 ;;
    --program) program=$(realpath "${2:?--program: needs a file}"); shift ;;
    --out) out=${2:?--out: needs a file}; shift ;;
    *) echo "mutation.sh: unknown argument $1; accepted: --subset, --program, --out" >&2; exit 2 ;;
  esac
  shift
done

# lines of the list: MUTANT CLAIM...
faults() {
  awk -v subset="$subset" '!/^#/ && NF {marked = sub(/^\*/, ""); if (marked || !subset) print}' "$list"
}
names() { awk '!/^#/ && NF {sub(/^\*/, ""); print $1}' "$list"; }
seeded() {
  grep -rhoE '(mutant|mutated)\("[a-z0-9-]+"' "$root"/{sim,analysis,proofs-check,cli} |
    sed 's/.*"\(.*\)"/\1/' | sort -u
}
if ! diff <(names | sort) <(seeded) >&2; then
  echo "mutation.sh: scripts/mutants.txt and the sources name different faults (above)" >&2
  exit 2
fi

if [[ -z $program ]]; then
  cmake -S "$root" -B "$root/build/mutants" -DCMAKE_BUILD_TYPE=Release -DTAPALAB_MUTANTS=ON \
    -DTAPALAB_CUDA=off -DBUILD_TESTING=OFF >&2
  cmake --build "$root/build/mutants" --target tapalab -j "$(nproc)" >&2
  program=$root/build/mutants/tapalab
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# check MUTANT CLAIM...: the exit code of verify; its verdicts in $scratch/found.json
check() {
  local mutant=$1 code=0
  shift
  TAPALAB_MUTANT=$mutant "$program" verify "$@" --quick --quiet --format json \
    --out-dir "$scratch/out" >"$scratch/found.json" 2>"$scratch/err" || code=$?
  return "$code"
}
changed() {  # claims whose verdict is not as recorded
  awk '/"id":/ {gsub(/[",]/, ""); id = $2} /"verdict":/ {gsub(/[",]/, ""); v = $2}
       /"recorded":/ {gsub(/[",]/, ""); if (v != $2) printf "%s%s", n++ ? ", " : "", id}' \
    "$scratch/found.json"
}

if ! check none $(faults | awk '{for (i = 2; i <= NF; ++i) print $i}' | sort -u); then
  echo "mutation.sh: without a fault verify does not come out as recorded: $(changed)" >&2
  exit 1
fi
tried=0 noticed=0 rows=
while read -r mutant claims; do
  code=0
  check "$mutant" $claims || code=$?
  if ((code == 0 && !subset)); then check "$mutant" || code=$?; fi
  case $code in
    0) what="not noticed" ;;
    1) what=$(changed) ;;
    *) what="stopped with exit code $code: $(head -c 200 "$scratch/err" | tr '\n' ' ')" ;;
  esac
  # a verdict must change: a crash alone does not count
  if ((code == 1)); then noticed=$((noticed + 1)); fi
  rows+="| \`$mutant\` | $what |"$'\n'
  echo "$mutant: $what" >&2
  tried=$((tried + 1))
done < <(faults)

summary="$noticed of $tried seeded faults change a verdict"
echo "$summary"
if [[ -n $out ]]; then
  {
    echo "| fault | claims whose verdict changed |"
    echo "|---|---|"
    printf '%s' "$rows"
    echo
    echo "$summary."
  } >"$out"
fi
((noticed * 100 >= tried * 95))
