#!/usr/bin/env bash
# Builds and runs the notebooks of notebooks-cpp and renders them: .ipynb, and pages with an index.
#   scripts/notebooks.sh [FOLDER]      out/notebooks, unless told
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"
source "$root/scripts/build.sh"

out=${1:-$root/out/notebooks}
release=$root/build/release
require_packages "$root/scripts/packages-build.txt" "$root/build/packages-build.stamp"
command -v pandoc >/dev/null || install_packages pandoc
build_program "$root" "$release"
configure "$root" "$release" -DTAPALAB_NOTEBOOKS=ON
build "$release" notebooks
mkdir -p "$out"
cp "$release"/notebooks/*.ipynb "$release"/notebooks/*.html "$out/"
say "open $out/index.html"
