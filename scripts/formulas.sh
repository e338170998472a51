#!/usr/bin/env bash
# Writes proofs-check/claim_formulas.cpp: the formulas of claim_formulas.txt as MathML, by pandoc.
#   scripts/formulas.sh [--check]
# With --check nothing is written: exit 1 where the file is not what pandoc makes of the formulas
# now, 0 where it is or where pandoc is another one than the one named in it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=proofs-check/claim_formulas.cpp
made=$(mktemp)
trap 'rm -f "$made"' EXIT
version=$(pandoc --version | head -1)
{
  echo "// Made by scripts/formulas.sh from claim_formulas.txt with $version. Do not edit."
  echo '// clang-format off'
  echo '#include "proofs-check/claim_formulas.hpp"'
  echo
  echo 'namespace tapalab {'
  echo
  echo 'std::string_view claim_formula(std::string_view id) {'
  grep -v '^#' proofs-check/claim_formulas.txt | while IFS=$'\t' read -r id latex; do
    mathml=$(printf '$$%s$$\n' "$latex" | pandoc -f markdown -t html --mathml |
      sed -E 's|^<p>||; s|</p>$||; s|<annotation encoding="application/x-tex">.*</annotation>||' | tr '\n' ' ')
    [[ $mathml == *'<math'* && $mathml == *'</math>'* ]] || { echo "formulas.sh: no MathML for $id" >&2; exit 1; }
    printf '  if (id == "%s")\n' "$id"
    printf '    return R"~(%s)~";\n' "${mathml% }"
  done
  echo '  return {};'
  echo '}'
  echo
  echo '}  // namespace tapalab'
} >"$made"
if [[ ${1:-} == --check ]]; then
  if ! grep -qF "$version" "$target"; then exit 0; fi
  cmp "$made" "$target"
else
  cp "$made" "$target"
fi
