# bash completion for tapalab. Everything comes from the program: commands and options from --help,
# names from `tapalab list`, the words that an option accepts from the message that refuses another.
# Needs nothing but bash, sed, grep and awk.

_tapalab_commands() { "$program" --help 2>/dev/null | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'; }
_tapalab_options() { "$program" "$command" --help 2>/dev/null | sed -nE 's/^  (-h,)?(--[a-z0-9-]+).*/\2/p'; }
# What the value of an option is called in the help: FILE, SPEC, ...; nothing where it takes none.
_tapalab_value() { "$program" "$command" --help 2>/dev/null | sed -nE "s/^  $1 ([A-Z][A-Z/:=]*)  .*/\\1/p"; }
_tapalab_names() { "$program" list "$1" 2>/dev/null | sed -nE '2,$s/^([a-z][a-z0-9.-]*)( .*)?$/\1/p'; }
# GIVEN:KEY= for every key of the encoding or density in `word`
_tapalab_keys() {
  "$program" list "$1" 2>/dev/null | awk -v name="${word%%:*}" -v given="${word%"${word##*[:,;]}"}" '
    NR > 1 && /^[a-z]/ {here = $1 == name; next}
    here {key = $1; sub(/^\[a\.\|p\.\]/, "", key); print given key "="}'
}
# The words that the program names where it refuses "?" as the last of these arguments
_tapalab_accepted() {
  "$program" "$@" '?' 2>&1 >/dev/null | sed -nE 's/.*accepted: //p' | sed 's/, /\n/g' | grep -xE '[a-z][a-z0-9-]*'
}

# Offers those of the words that continue `word`, without the part of it that bash has split off.
_tapalab_offer() {
  local cut=$word reply
  # Of the characters at which bash splits, ":" and "=" alone stand in words without blanks.
  while [[ $cut && ! ($cut == *[:=] && $COMP_WORDBREAKS == *"${cut: -1}"*) ]]; do cut=${cut%?}; done
  while IFS= read -r reply; do
    COMPREPLY+=("${reply#"$cut"}")
  done < <(compgen -W "$1" -- "$word")
}
_tapalab_files() {
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null
}
# $1: encodings or densities
_tapalab_specification() {
  if [[ $word == *:* ]]; then
    _tapalab_offer "$(_tapalab_keys "$1")"
    compopt -o nospace 2>/dev/null
  else
    _tapalab_offer "$(_tapalab_names "$1")"
  fi
}

_tapalab() {
  local program=$1 command='' word='' before=''
  type -P "$program" >/dev/null || program=tapalab
  COMPREPLY=()
  # Not COMP_WORDS, which bash splits at ":" and "=".
  local line=${COMP_LINE:0:COMP_POINT}
  local -a words
  if [[ $line != *[[:space:]] ]]; then
    word=${line##*[[:space:]]}
    line=${line%"$word"}
  fi
  read -ra words <<<"$line"
  while [[ ${words[0]-} == *=* ]]; do words=("${words[@]:1}"); done
  if ((${#words[@]} < 2)); then
    _tapalab_offer "$(_tapalab_commands) --help --version"
    return
  fi
  command=${words[1]} before=${words[-1]}
  if [[ $word == --*=* ]]; then
    before=${word%%=*} word=${word#*=}
  fi

  local value=''
  [[ $before != --* ]] || value=$(_tapalab_value "$before")
  if [[ $value ]]; then
    case $before:$value in
      --encoding:*) _tapalab_specification encodings ;;
      --density:*) _tapalab_specification densities ;;
      --engine:*) _tapalab_offer "$(_tapalab_names engines)" ;;
      --require:*) _tapalab_offer "$(_tapalab_names claims)" ;;
      --dtype:* | *:FORMAT | *:MODE | *:NAME | *:TYPE)
        case $command in
          # They ask for what they are about before they look at an option.
          list | inspect | merge | compare) _tapalab_offer "$(_tapalab_accepted "${words[@]:1}")" ;;
          *) _tapalab_offer "$(_tapalab_accepted "$command" "$before")" ;;
        esac
        ;;
      *:FILE) _tapalab_files -f ;;
      *:DIR) _tapalab_files -d ;;
    esac # others: numbers, and what the user alone knows
  elif [[ $word == -* ]]; then
    _tapalab_offer "$(_tapalab_options)"
  elif [[ $command == verify ]]; then
    _tapalab_offer "$(_tapalab_names claims)"
  elif [[ $command == list ]]; then
    _tapalab_offer "$(_tapalab_accepted list)"
  else
    _tapalab_files -f
  fi
}

complete -F _tapalab tapalab
