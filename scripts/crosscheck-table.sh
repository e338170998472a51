#!/bin/sh
# Phase errors and their bounds against distance for RoPE, YaRN and TAPA in fp32, bf16 and fp16:
#   scripts/crosscheck-table.sh [BUILD] [THREADS]
# writes docs/results/crosscheck.md and docs/figures/crosscheck-phase.svg. Exits 1 where an error is
# above its bound or a bound above ten times the largest error seen.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
threads=${2:-$(nproc)}
program=$build/tapalab
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
page=$root/docs/results/crosscheck.md
figure=$root/docs/figures/crosscheck-phase.svg

rotary='--encoding rope:base=10000 --encoding rope:base=500000
  --encoding yarn:factor=16,original=4096,base=10000'
tapa='--encoding tapa:alpha=0.1 --encoding tapa:alpha=0.1,law=linear'
common="--dtype fp32,bf16,fp16 --threads $threads --progress off"
grid=log:1:2^40:44

# Every distance to 64, all powers of two with their neighbours, and a grid between.
dense=$(awk 'BEGIN {
  # As texts: awk writes large numbers with six digits.
  for (i = 1; i <= 64; ++i) seen[i ""]
  for (b = 6; b <= 40; ++b) for (o = -1; o <= (b < 40); ++o) seen[sprintf("%.0f", 2 ^ b + o)]
  for (i = 0; i <= 150; ++i) seen[sprintf("%.0f", 2 ^ (40 * i / 150))]
  for (d in seen) printf "%s%s", n++ ? "," : "", d
}')

started=$(date +%s)
cd "$root"
# shellcheck disable=SC2086
checked() { # exit 1 says that fp16 has no number for some distance; the tables judge the others
  "$program" crosscheck "$@" || [ $? -eq 1 ]
}
checked $rotary $tapa $common --distances $grid --horizon 0.01 \
  --plot "$figure" --format csv --out "$scratch/grid.csv"
# shellcheck disable=SC2086
"$program" crosscheck $rotary $tapa $common --distances 1 --horizon 0.01 >"$scratch/horizon.txt"
# shellcheck disable=SC2086
checked $rotary $common --distances "$dense" --samples 3000 --format csv \
  --out "$scratch/dense-rotary.csv"
# shellcheck disable=SC2086
checked $tapa $common --distances "$dense" --samples 10000 --format csv \
  --out "$scratch/dense-tapa.csv"
checked --encoding rope:base=10000 --encoding tapa --dtype fp32,bf16,fp16 \
  --threads "$threads" --progress off --distances 64 --samples 2000 --format csv \
  --offset 0,2^4,2^6,2^8,2^10,2^12,2^14,2^15,2^20,2^30,2^40 --out "$scratch/offset.csv"
seconds=$(($(date +%s) - started))
for encoding in tapa rope:base=500000; do
  begun=$(date +%s)
  "$program" crosscheck --encoding "$encoding" --rows 0:128 --seq-len 2^20 --dtype bf16 \
    --threads "$threads" --progress off --format csv --out "$scratch/rows.csv"
  echo "$encoding $(($(date +%s) - begun))" >>"$scratch/million-seconds.txt"
  if [ -s "$scratch/million.csv" ]; then sed 1d "$scratch/rows.csv"; else cat "$scratch/rows.csv"; fi \
    >>"$scratch/million.csv"
done

# csv FILE PROGRAM: awk with the columns by name in c[], and the quotes of encodings taken off.
csv() {
  file=$1
  shift
  awk '
    function fields(line,   n, out, i, quoted, field, ch) {
      n = 1; field = ""; quoted = 0
      for (i = 1; i <= length(line); ++i) {
        ch = substr(line, i, 1)
        if (ch == "\"") quoted = !quoted
        else if (ch == "," && !quoted) { f[n++] = field; field = "" }
        else field = field ch
      }
      f[n] = field
      return n
    }
    NR == 1 { n = split($0, name, ","); for (i = 1; i <= n; ++i) c[name[i]] = i; next }
    { fields($0) }
  '"$1" "$file"
}

ratios() {
  csv "$1" '
    { key = f[c["encoding"]] "|" f[c["dtype"]]
      if (!(key in count)) order[++keys] = key
      ++count[key]
      seen = f[c["phase_error"]] + 0; bound = f[c["phase_bound"]] + 0
      if (seen > bound) ++above[key]
      if (bound > 10 * seen) ++wide[key]
      if (seen == 0) ++exact[key]
      else if (bound / seen > phase[key]) { phase[key] = bound / seen; at[key] = f[c["distance"]] }
      seen = f[c["max_error"]]
      if (seen == "") next
      bound = f[c["bound"]] + 0
      if (seen + 0 > bound) ++above[key]
      if (bound > 10 * seen) ++wide[key]
      if (seen > 0 && bound / seen > score[key]) score[key] = bound / seen
    }
    END { for (i = 1; i <= keys; ++i) { k = order[i]; split(k, part, "|")
      printf "| `%s` | %s | %d | %d | %d | %.2f at %s | %.2f |\n", part[1], part[2], count[k],
        above[k], wide[k], phase[k], at[k], score[k] } }'
}

phase_table() { # DTYPE
  csv "$scratch/grid.csv" '
    f[c["dtype"]] != "'"$1"'" { next }
    { e = f[c["encoding"]]; d = f[c["distance"]]
      if (!(e in known)) { known[e]; encoding[++encodings] = e }
      if (!(d in row)) { row[d]; distance[++distances] = d }
      cell[e, d] = sprintf("%.2e / %.2e", f[c["phase_error"]], f[c["phase_bound"]]) }
    END {
      printf "| distance |"
      for (i = 1; i <= encodings; ++i) printf " `%s` |", encoding[i]
      printf "\n| ---: |"
      for (i = 1; i <= encodings; ++i) printf " --- |"
      printf "\n"
      for (j = 1; j <= distances; ++j) {
        if (j % 3 != 1 && j != distances) continue
        printf "| %s |", distance[j]
        for (i = 1; i <= encodings; ++i) printf " %s |", cell[encoding[i], distance[j]]
        printf "\n"
      } }'
}

horizons() {
  awk '
    / D = / { encoding = $1; if (!(encoding in known)) { known[encoding]; order[++n] = encoding } }
    /^(fp32|bf16|fp16): / { dtype = substr($1, 1, 4) }
    /^horizon for/ { sub(/^[^:]*: /, ""); found[encoding, dtype] = $0 }
    END { for (i = 1; i <= n; ++i) { e = order[i]
      printf "| `%s` | %s | %s | %s |\n", e, found[e, "fp32"], found[e, "bf16"],
        found[e, "fp16"] } }' "$scratch/horizon.txt"
}

shifts() {
  csv "$scratch/offset.csv" '
    { key = f[c["encoding"]] "|" f[c["dtype"]]; o = f[c["offset"]]
      if (!(key in known)) { known[key]; order[++keys] = key }
      if (!(o in row)) { row[o]; offset[++offsets] = o }
      shift = f[c["shift"]]
      cell[key, o] = shift == "" ? "no number" : sprintf("%.1e", shift) }
    END {
      printf "| offset |"
      for (i = 1; i <= keys; ++i) { split(order[i], part, "|"); printf " `%s` %s |", part[1], part[2] }
      printf "\n| ---: |"
      for (i = 1; i <= keys; ++i) printf " --- |"
      printf "\n"
      for (j = 1; j <= offsets; ++j) {
        printf "| %s |", offset[j]
        for (i = 1; i <= keys; ++i) printf " %s |", cell[order[i], offset[j]]
        printf "\n"
      } }'
}

million() {
  csv "$scratch/million.csv" '
    f[c["kernel"]] == "emulated" {
      printf "| `%s` | %s | %.2e | %.2e |", f[c["encoding"]], f[c["dtype"]], f[c["max_error"]],
        f[c["tolerance"]]
      getline time < "'"$scratch/million-seconds.txt"'"
      split(time, part, " ")
      printf " %s s |\n", part[2] }'
}

ratios "$scratch/dense-rotary.csv" >"$scratch/ratios.txt"
ratios "$scratch/dense-tapa.csv" >>"$scratch/ratios.txt"
{
  cat <<'PAGE'
# Phase errors of attention kernels against distance

How far the phase of an emulated kernel is from the exact one, in turns, and the running bound of it
([theory](../theory/crosscheck.md)). `--dtype T` puts everything but the accumulator into T, the accumulator into
fp32. Queries and keys are drawn from `gaussian:rho=0.25` at head dimension 128; TAPA's error is the
largest over 10,000 samples, a rotary encoding's over the pairs of coordinates. Half a turn is the
largest error that there is: the phase is lost.

![Phase error against distance](../figures/crosscheck-phase.svg)

Where a bf16 score loses its digits, stage by stage (scale and phase; the other stages hardly count):

![Error budget by stage](../figures/error-budget.svg)

YaRN and the RoPE of the same base coincide where YaRN keeps the pair that is worst. The
power law of TAPA moves the phase little, so that its error grows as distance^0.1; with `law=linear`
it grows as RoPE's does. fp16 ends at 65504: no distance beyond it has a number.

PAGE
  for dtype in fp32 bf16 fp16; do
    printf '## %s: largest error seen / bound, in turns\n\n' $dtype
    phase_table $dtype
    echo
  done
  cat <<'PAGE'
## Horizons

The last distance up to which no distance can have a phase error above 0.01 turns (3.6 degrees),
and the first beyond it. TAPA's are those of the largest phase among 10,000 samples: its error is a
multiple of the phase, and a kernel that sees larger ones is safe less far.

| encoding | fp32 | bf16 | fp16 |
| --- | --- | --- | --- |
PAGE
  horizons
  cat <<'PAGE'

## Bounds against errors

At each distance from 1 to 64, each power of two to 2^40 with both neighbours, and a grid of 151
between 1 and 2^40: how often an error (of phase or score, in any sample) was above its bound, how often a bound was more
than ten times the largest error, and the largest ratio of the two. Rotary: 3,000 samples; TAPA: 10,000.

| encoding | type | distances | errors above | bounds above ten times | phase: bound / error, largest | score: bound / error, largest |
| --- | --- | --- | --- | --- | --- | --- |
PAGE
  cat "$scratch/ratios.txt"
  cat <<'PAGE'

## Relativity

max |score(64 + c, c) - score(64, 0)| of the kernel over 2,000 samples, for offsets c. In exact arithmetic it
is 0; RoPE's absolute positions break it as they grow, while TAPA sees distances alone.

PAGE
  shifts
  cat <<'PAGE'

## One million tokens

128 rows of causal attention spread over 2^20 tokens, head dimension 128: the kernel in bf16 with accumulation in
fp32, the same with everything in bf16, and the reference in fp64; with the machine otherwise idle.

| encoding | type | largest error | tolerance | time |
| --- | --- | --- | --- | --- |
PAGE
  million
  printf '\n| | |\n| --- | --- |\n| command | `scripts/crosscheck-table.sh` |\n| commit | %s |\n' \
    "$("$program" --version | sed 's/.*(\(.*\)).*/\1/')"
  printf '| date | %s |\n| machine | %s, %s of its processors |\n| time | %s s, without the million tokens |\n' "$(date -u +%Y-%m-%d)" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$threads" "$seconds"
} >"$scratch/page.md"
cp "$scratch/page.md" "$page"
awk -F'|' '{ faults += $5 + $6 } END { exit faults > 0 }' "$scratch/ratios.txt"
