#!/usr/bin/env bash
# ./run.sh test          installs what is missing, builds from nothing, checks everything
# ./run.sh ANYTHING...   installs and builds what is missing or out of date, then: tapalab ANYTHING...
# Its own messages go to standard error; it says nothing when all is up to date.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$root/scripts/packages.sh"
source "$root/scripts/build.sh"

if [[ ${1-} == test ]]; then
  shift
  exec "$root/scripts/test.sh" "$@"
fi

require_packages "$root/scripts/packages-build.txt" "$root/build/packages-build.stamp"
build_program "$root" "$root/build/release"
exec "$root/build/release/tapalab" "$@"
