#!/usr/bin/env bash
# The lines of Python in docs/theory that check a witness accept what `verify` writes, and refuse
# the same with a number changed.
#   witness_lines.sh PROGRAM SOURCE_ROOT
set -euo pipefail
program=$1 root=$2
if ! command -v python3 >/dev/null; then
  echo "skipped: no python3"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$program" verify theorem-2.2 theorem-3.3 --quick --quiet --out-dir out >/dev/null

# lines CLAIM: the block of its page that reads verify.json
lines() {
  awk '/^```python/ {inside = 1; block = ""; next}
       /^```/ {if (inside && block ~ /verify\.json/) printf "%s", block; inside = 0; next}
       inside {block = block $0 "\n"}' "$root/docs/theory/$1.md"
}
for claim in theorem-2.2 theorem-3.3; do
  lines "$claim" >"$claim.py"
  [[ -s $claim.py ]] || { echo "docs/theory/$claim.md shows no lines that read verify.json"; exit 1; }
  echo "$claim: $(python3 "$claim.py")"
done

# refuses CLAIM EDIT: after the edit of the witness `w` the lines must fail
refuses() {
  python3 - "$1" "$2" <<'EOP'
import json, sys
report = json.load(open("out/verify.json"))
w = next(c for c in report["claims"] if c["id"] == sys.argv[1])["witness"]
exec(sys.argv[2])
json.dump(report, open("out/changed.json", "w"))
EOP
  sed 's|out/verify.json|out/changed.json|' "$1.py" >changed.py
  if python3 changed.py >/dev/null 2>err; then
    echo "$1: the lines accept the witness after: $2"
    exit 1
  fi
  grep -q AssertionError err
}
refuses theorem-2.2 'w["distance"] = str(int(w["distance"]) + 1)'
refuses theorem-2.2 'w["near_distance"] = "1"'
refuses theorem-3.3 'w["covariance"][0][1] = w["covariance"][1][0] = "1.5"'
refuses theorem-3.3 'w["covariance"][0][0] = "2"'
refuses theorem-3.3 'n = int(w["amplitude_dim"]); w["covariance"] = [["1" if i == j else "0" for j in range(2*n)] for i in range(2*n)]'
