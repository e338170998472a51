#!/bin/sh
# The table of docs/results/densities.md: for each density whether it is Schwartz, the predicted
# exponent of the envelope of tapa in s, and the local exponents that `fit` measures near two
# distances; law linear, alpha = 1, D = 16 (dP = 8), so that s is the distance.
#   scripts/densities.sh [PROGRAM]
set -eu
program=${1:-build/release/tapalab}
row() { # density, whether it is Schwartz
  near=$(measure "$1" 2,3)
  far=$(measure "$1" 1073741824,1099511627776)
  printf '| `%s` | %s | %s | %s | %s |\n' "$1" "$2" "${near#* }" "${near%% *}" "${far%% *}"
}
measure() { # density, distances: "measured predicted", in s
  case $1 in *:*) density=$1, ;; *) density=$1: ;; esac
  "$program" fit --quiet --encoding tapa:alpha=1,law=linear --head-dim 16 --distances "$2" \
    --density "${density}a.mean_q=0.5,a.mean_k=0.5" --format csv 2>/dev/null |
    awk -F, 'NR == 2 { printf "%.4f %s\n", $(NF - 6), $NF == "" ? "no power" : $NF; seen = 1 }
      END { if (!seen) print "below the range -" }' | sed 's/below the range -/below_range -/'
}
echo '| density of phase coordinates | Schwartz | predicted | from 2 to 3 | from 2^30 to 2^40 |'
echo '|---|---|---|---|---|'
row gaussian:rho=0.25 yes
row sech yes
row logistic yes
row sech:key=logistic yes
row bump yes
row hermite2 yes
row hermite2:key=gaussian yes
row sech:p.mean_q=0.5,p.mean_k=0.5 yes
row hermite2:p.mean_q=0.5,p.mean_k=0.5 yes
row laplace no
row uniform no
row laplace:key=uniform no
row hermite2:key=laplace no
row student-t:nu=3 no
row singular no
row singular:key=gaussian no
row rademacher:key=laplace no
row rademacher:key=gaussian no
