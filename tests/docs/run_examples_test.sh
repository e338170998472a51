#!/usr/bin/env bash
# run_examples.sh accepts a document that is right, and fails on each of these faults.
#   run_examples_test.sh PROGRAM SOURCE_ROOT
set -euo pipefail
program=$(realpath "$1") root=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/docs" "$scratch/tests"
cp -r "$root/docs/examples" "$scratch/docs/"
ln -s "$root/tests/data" "$scratch/tests/data"

cat >"$scratch/right.md" <<'END'
```sh
./run.sh list engines
```
```text
name ... meaning
...
mc  ...
...
```
```sh
tapalab list nothing  # exits 2
```
```text
tapalab: list: unknown kind "nothing"; accepted: encodings, ...
```
<!-- not run: it would fail -->
```sh
./run.sh nonsense
```
```text
never seen
```
END
# judge DOCUMENT: 0 or 1
judge() { "$here/run_examples.sh" "$program" "$scratch" "$1" >"$scratch/said" && echo 0 || echo 1; }
expect() {
  [[ $(judge "$1") == "$2" ]] || {
    echo "$1: not $2"
    cat "$scratch/said"
    exit 1
  }
}
expect right.md 0
grep -q "2 blocks run, 2 outputs compared, 1 left out, 0 failures" "$scratch/said"
# fault NAME EDIT
fault() {
  sed "$2" "$scratch/right.md" >"$scratch/$1.md"
  ! cmp -s "$scratch/right.md" "$scratch/$1.md" || { echo "$1 changes nothing" && exit 1; }
  expect "$1.md" 1
}
fault exit-code 's/# exits 2/# exits 0/'
fault exit-code-unsaid 's/  # exits 2//'
fault word 's/^mc /md /'
fault message 's/unknown kind/unknown sort/'
fault missing-lines '9d'
fault run-after-all '/not run/d'
fault output-without-run 's/^```sh$/```sh-session/'
