#!/bin/sh
# Runs of `tapalab curve` killed with -9 at random moments after their first checkpoint and resumed
# until they end, over threads x ranks x vector widths: each must print the curves of a clean run,
# bit for bit.
#
#   kill_resume.sh PROGRAM [KILLED_RUNS] [SAMPLES] [SEED] [ENGINE OPTION...]
#
# ENGINE OPTION...: how it samples (default --engine mc), such as --engine qmc.
#
# Ranks above 1 need mpirun; where there is none, they are left out and that is said. Exit 0: all the
# same; 1: a difference, or a run that could not be resumed.
set -eu
program=$1
runs=${2:-20}
samples=${3:-4e6}
seed=${4:-1}
[ "$#" -le 4 ] && shift "$#" || shift 4
[ "$#" -gt 0 ] || set -- --engine mc
sampling=$*
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

ranks="1 2 3"
command -v mpirun >/dev/null || { ranks=1; echo "no mpirun: one rank alone"; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Leak checks of an instrumented program would blame MPI.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

# launch THREADS RANKS WIDTH OUT [options...]: the experiment, its JSON to OUT.
launch() {
  threads=$1 count=$2 width=$3 out=$4
  shift 4
  set -- curve --encoding tapa --encoding rope --density gaussian:rho=0.25 --head-dim 32 \
    --distances 0,1,100,1000000 $sampling --samples "$samples" --seed 11 --threads "$threads" \
    --format json --out "$out" --quiet "$@"
  if [ "$count" = 1 ]; then
    TAPALAB_SIMD=$width exec "$program" "$@"
  fi
  TAPALAB_SIMD=$width exec mpirun --oversubscribe -n "$count" "$program" "$@"
}

# Everything but where it came from.
curves() { sed '/"provenance": {/,/^  }/d' "$1"; }

combinations=
for width in avx512 avx2 scalar; do
  for count in $ranks; do
    for threads in 1 2; do combinations="$combinations $threads,$count,$width"; done
  done
done

(launch 1 1 scalar clean.json)
curves clean.json >clean.txt
[ "$(wc -l <clean.txt)" -gt 20 ] || { echo "the clean run printed too little"; exit 1; }

state=$seed
random() { # drawn: 0 .. $1 - 1; not by output, which a subshell would draw anew each time
  state=$(((state * 1103515245 + 12345) % 2147483648))
  drawn=$((state / 65536 % $1))
}

failed=0 run=0 kills=0
while [ "$run" -lt "$runs" ]; do
  for combination in $combinations; do
    [ "$run" -lt "$runs" ] || break
    run=$((run + 1))
    threads=${combination%%,*} rest=${combination#*,}
    count=${rest%%,*} width=${rest#*,}
    rm -f point result.json
    tries=0
    while :; do
      (launch "$threads" "$count" "$width" result.json --checkpoint point) 2>log &
      process=$!
      if [ "$tries" -lt 2 ]; then
        until [ -s point ] || ! kill -0 "$process" 2>/dev/null; do sleep 0.01; done
        random 90
        sleep "0.$(printf %02d "$drawn")"
        # All of the processes: mpirun's death alone would let the ranks tidy up.
        if kill -9 $(pgrep -P "$process") "$process" 2>/dev/null; then kills=$((kills + 1)); fi
      fi
      code=0
      wait "$process" 2>/dev/null || code=$?
      tries=$((tries + 1))
      [ "$code" = 0 ] && break
      [ "$code" = 137 ] && continue
      echo "run $run ($combination): exit $code: $(cat log)"
      failed=1
      break
    done
    if [ ! -s result.json ] || ! curves result.json | cmp -s - clean.txt; then
      echo "run $run ($combination): not the bits of the clean run"
      failed=1
    fi
  done
done
echo "$run runs, $kills kills: $([ "$failed" = 0 ] && echo 'all as the clean run' || echo FAILED)"
exit "$failed"
