#!/usr/bin/env bash
# The completion of bash, sourced as a shell does, for several lines.
#   completion.sh PROGRAM SOURCE_ROOT
set -u
program=$(realpath "$1") root=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/here" "$scratch/here/results"
ln -s "$program" "$scratch/bin/tapalab"
export PATH=$scratch/bin:$PATH
cd "$scratch/here" || exit 1
touch one.json two.npy
source "$root/cli/completion/tapalab.bash"
failures=0

# complete_line LINE: what TAB offers after it, sorted, on one line
complete_line() {
  COMP_LINE=$1 COMP_POINT=${#1}
  _tapalab tapalab
  printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | paste -sd' '
}
# offers LINE WORDS: exactly these
offers() {
  local got
  got=$(complete_line "$1")
  [[ $got == "$2" ]] || {
    printf 'after "%s"\noffered: %s\nwanted:  %s\n' "$1" "$got" "$2"
    ((++failures))
  }
}
# offers_all LINE WORD...: these among others
offers_all() {
  local got word
  got=" $(complete_line "$1") "
  for word in "${@:2}"; do
    [[ $got == *" $word "* ]] || {
      printf 'after "%s": %s is not offered:%s\n' "$1" "$word" "$got"
      ((++failures))
    }
  done
}

[[ $(complete -p tapalab) == "complete -F _tapalab tapalab" ]] || { echo "not registered" && ((++failures)); }
# The commands of the help, read here in another way.
mapfile -t commands < <(tapalab --help | awk '/^Commands:/ {on = 1; next} /^$/ {on = 0} on {print $1}')
((${#commands[@]} >= 13)) || { echo "the help names ${#commands[@]} commands" && ((++failures)); }
offers_all "tapalab " "${commands[@]}" --help --version
offers "tapalab cro" crosscheck
offers "TAPALAB_SIMD=avx2 tapalab cro" crosscheck
for command in "${commands[@]}"; do offers_all "tapalab $command --" --help --quiet; done
offers "tapalab curve --head" --head-dim
offers "tapalab list " "claims densities encodings engines"
offers "tapalab list encodings --format j" json
offers "tapalab inspect one.json --format " "json table"
offers "tapalab merge one.json --format c" csv
offers "tapalab compare one.json one.json --format j" json
offers "tapalab bias --progress " "auto off on"
offers "tapalab curve --encoding yar" yarn
offers "tapalab curve --encoding=yar" yarn
offers_all "tapalab curve --density " gaussian mixture empirical student-t-joint
# bash splits at ":" and "=": what it has split off is not offered again.
offers "tapalab curve --encoding tapa:al" alpha=
offers "tapalab curve --encoding tapa:alpha=0.1,sh" 0.1,share=
offers "tapalab curve --density gaussian:rh" rho=
offers "tapalab curve --engine qu" quadrature
offers "tapalab curve --estimator anti" antithetic
offers "tapalab crosscheck --dtype " "bf16 fp16 fp32 fp64"
offers "tapalab crosscheck --backend " "cpu cuda"
offers "tapalab verify theorem-3" "theorem-3.2 theorem-3.3"
offers "tapalab verify --quick --require clt" clt-crossover
offers "tapalab curve --samples " ""
offers "tapalab inspect " "one.json results two.npy"
offers "tapalab curve --spec one" one.json
offers "tapalab verify --out-dir " results
offers "tapalab nonsense --" ""
# A line that is completed in the middle: what follows the cursor does not count.
COMP_LINE="tapalab curve --head --seed 1" COMP_POINT=20
_tapalab tapalab
[[ ${COMPREPLY[*]} == --head-dim ]] || { echo "in the middle: ${COMPREPLY[*]}" && ((++failures)); }
echo "$failures failures"
((failures == 0))
