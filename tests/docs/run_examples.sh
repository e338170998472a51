#!/usr/bin/env bash
# Runs the examples of documents and compares what they print with what the documents show.
#   run_examples.sh PROGRAM SOURCE_ROOT DOCUMENT...
#
# A block ```sh with a line of ./run.sh or tapalab runs in a scratch folder, one for each document, in
# which ./run.sh is PROGRAM; so does a block ```python. It must end with exit code 0, or with N where it
# says "# exits N". A block ```text after it is what it prints (on standard error too, where it exits
# with another code), up to blanks at the end of lines; "..." alone stands for any lines, within a line
# for any text. <!-- not run: WHY --> before a block leaves it out.
set -uo pipefail
program=$(realpath "$1") root=$(realpath "$2")
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0 ran=0 compared=0 left_out=0

# pattern LINE: a pattern of [[ that matches the line, with "..." for any text
pattern() {
  local text=$1
  text=${text//\\/\\\\}
  local sign
  for sign in '*' '?' '[' ']' '(' ')' '|' '+' '@' '!'; do text=${text//"$sign"/\\$sign}; done
  printf '%s' "${text//.../*}"
}

# matches SHOWN ACTUAL: files; says where they part
matches() {
  local -a shown actual
  mapfile -t shown < <(sed 's/[[:space:]]*$//' "$1")
  mapfile -t actual < <(sed 's/[[:space:]]*$//' "$2")
  local line at=0 any=0 wanted
  for line in "${shown[@]}"; do
    if [[ $line =~ ^[[:space:]]*\.\.\.$ ]]; then
      any=1
      continue
    fi
    wanted=$(pattern "$line")
    while ((any && at < ${#actual[@]})) && [[ ${actual[at]} != $wanted ]]; do ((++at)); done
    if ((at >= ${#actual[@]})) || [[ ${actual[at]} != $wanted ]]; then
      printf 'shown:   %s\nprinted: %s\n' "$line" "${actual[at]-(nothing more)}"
      return 1
    fi
    ((++at)) && any=0
  done
  if ((!any && at < ${#actual[@]})); then
    printf 'printed beyond what is shown: %s\n' "${actual[at]}"
    return 1
  fi
}

fail() {
  echo "FAILED $1:$2: $3"
  ((++failures))
}

# run_block DOCUMENT LINE KIND: the block in $scratch/block
run_block() {
  local document=$1 line=$2 kind=$3 expected code
  expected=$(sed -nE 's/.*# exits ([0-9]+).*/\1/p' "$scratch/block" | tail -1)
  if [[ $kind == sh ]]; then
    (cd "$folder" && PATH=$scratch/bin:$PATH bash -e "$scratch/block" </dev/null >"$scratch/out" 2>"$scratch/err")
  else
    (cd "$folder" && python3 "$scratch/block" </dev/null >"$scratch/out" 2>"$scratch/err")
  fi
  code=$?
  ((++ran))
  if ((code != ${expected:-0})); then
    fail "$document" "$line" "exit code $code, not ${expected:-0}"
    cat "$scratch/block" "$scratch/err"
  fi
  [[ -z $expected ]] || cat "$scratch/err" >>"$scratch/out"
}

mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/tapalab"
for document in "$@"; do
  folder=$scratch/$(tr / _ <<<"$document")
  mkdir -p "$folder/docs/figures" "$folder/tests"
  cp -r "$root/docs/examples" "$folder/docs/"
  ln -s "$root/tests/data" "$folder/tests/data"
  ln -s "$program" "$folder/run.sh"
  number=0 kind='' skip='' last='' silent=''
  while IFS= read -r text || [[ -n $text ]]; do
    ((++number))
    if [[ -z $kind ]]; then
      case $text in
        '<!-- not run: '*) skip=yes ;;
        '```'*)
          kind=${text#'```'}
          kind=${kind:-plain} start=$number
          : >"$scratch/block"
          ;;
      esac
      continue
    elif [[ $text != '```' ]]; then
      printf '%s\n' "$text" >>"$scratch/block"
      continue
    fi
    case $kind in
      sh | python)
        last='' silent=yes
        if [[ $kind == sh ]] && ! grep -qE '(^|[ /])(run\.sh|tapalab) ' "$scratch/block"; then
          :
        elif [[ -n $skip ]] || { [[ $kind == python ]] && ! command -v python3 >/dev/null; }; then
          ((++left_out))
        else
          run_block "$document" "$start" "$kind"
          last=$start silent=''
        fi
        ;;
      text)
        if [[ -n $last ]]; then
          ((++compared))
          matches "$scratch/block" "$scratch/out" >"$scratch/parted" || {
            fail "$document" "$start" "the block at line $last prints something else"
            cat "$scratch/parted"
          }
        elif [[ -z $silent ]]; then
          fail "$document" "$start" "shows output, and no block before it was run"
        fi
        last=''
        ;;
    esac
    skip='' kind=''
  done <"$root/$document"
done
echo "$ran blocks run, $compared outputs compared, $left_out left out, $failures failures"
# Nothing run would mean that the documents are not read as they are written.
((failures == 0 && ran > 0 && compared > 0))
