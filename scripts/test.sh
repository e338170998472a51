#!/usr/bin/env bash
# Everything that a change must pass, from nothing: warnings as errors, all tests of the processor
# (those of the GPU where there is one), tests under AddressSanitizer and
# UndefinedBehaviorSanitizer, formatting, clang-tidy, and a project that uses the installed package.
# The last lines are the summary of ctest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"
source "$root/scripts/build.sh"

for list in build test; do
  require_packages "$root/scripts/packages-$list.txt" "$root/build/packages-$list.stamp"
done
release=$root/build/release
asan=$root/build/asan
jobs=$(nproc 2>/dev/null || echo 1)

# stage TEXT: what comes next, and when, in seconds from the start.
stage() { say "[${SECONDS}s] $*"; }

stage "Release, warnings as errors, in build/release"
rm -rf "$release"
configure "$root" "$release" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON \
  -DTAPALAB_WERROR=ON -DTAPALAB_UNITY=ON
build "$release" all

stage "AddressSanitizer and UndefinedBehaviorSanitizer, in build/asan"
rm -rf "$asan"
configure "$root" "$asan" --preset asan
build "$asan" all
stage "tests under the sanitizers"
ctest --test-dir "$asan" --output-on-failure -j "$jobs" -LE 'slow|package|style' "$@" </dev/null

stage "all tests"
exec ctest --test-dir "$release" --output-on-failure -j "$jobs" "$@" </dev/null
