#!/usr/bin/env bash
# check-tidy.sh BUILD: the checks of .clang-tidy over every tracked source of the rooms that
# BUILD/compile_commands.json compiles, as many at once as there are cores. All sources of a room are
# compiled alike, whether the build reads them one by one or several as one; those that are not have
# a command of their own. Reading the headers is most of the work, so that sources are read a dozen
# at a time, as one; where a dozen does not pass (two of them give one name to different things, or a
# check found something) its halves are read apart, down to the single source, whose findings are
# shown.
set -euo pipefail

# batch FOLDER SOURCE...: FOLDER/commands.json holds the compile commands.
batch() {
  local folder=$1
  shift
  local here status=0 room=${1%/*} command
  while [[ $room == */* && ! -e $room/CMakeLists.txt ]]; do room=${room%/*}; done
  command=" -o $room/CMakeFiles/[^ ]*\.o -c "
  # A source with a command of its own, where it is read alone, has definitions of its own.
  if (($# == 1)) && grep -qF " -c $PWD/$1\"" "$folder/commands.json"; then
    command=" -c $PWD/$1\""
  fi
  here=$(mktemp -d "$folder/batch.XXXXXX")
  printf '#include "%s"\n' "${@/#/$PWD/}" >"$here/batch.cpp"
  # Its command, or the first of the room, with the batch in the place of its source.
  {
    echo '[{'
    grep -B1 -m1 -E "\"command\": .*$command" "$folder/commands.json" |
      sed -E "s| -c [^ ]*\",$| -c $here/batch.cpp\",|" || true
    echo "\"file\": \"$here/batch.cpp\"}]"
  } >"$here/compile_commands.json"
  grep -q '"command"' "$here/compile_commands.json" || return 0  # not compiled in this build
  "${CLANG_TIDY:-clang-tidy-14}" --quiet --config-file="$PWD/.clang-tidy" -p "$here" \
    --extra-arg=-Wno-unknown-warning-option "$here/batch.cpp" >"$here/found" 2>&1 || status=1
  if ((status == 0)); then return 0; fi
  if (($# == 1)); then
    cat "$here/found"
    return 1
  fi
  local half=$(($# / 2))
  status=0
  batch "$folder" "${@:1:half}" || status=1
  batch "$folder" "${@:half+1}" || status=1
  return "$status"
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ ${1:-} == --batch ]]; then
  cd "$root"
  shift
  batch "$@"
  exit
fi
build=$(cd "$1" && pwd)
cd "$root"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The precompiled header of GCC is of no use to clang, and would be read in full for every source.
sed -E 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//; s/ -Wno-shadow//' "$build/compile_commands.json" >"$folder/commands.json"
for room in sim analysis proofs-check cli notebooks-cpp/tool; do
  git -c safe.directory='*' ls-files "$room/*.cpp" | xargs -r -n 12
done | xargs -d '\n' -P "$(nproc)" -I {} bash -c '"$0" --batch "$1" $2' "${BASH_SOURCE[0]}" "$folder" {}
