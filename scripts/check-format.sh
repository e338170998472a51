#!/usr/bin/env bash
# check-format.sh: every tracked source is formatted as .clang-format says.
# check-format.sh --fix: formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(--dry-run -Werror)
[[ ${1-} == --fix ]] && mode=(-i)
git -c safe.directory='*' ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' |
  xargs -0 -r "${CLANG_FORMAT:-clang-format-14}" --style=file "${mode[@]}"
