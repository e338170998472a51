#!/usr/bin/env bash
# The manual page: every command and every long option of the help, formatted without a warning.
#   manual.sh PROGRAM SOURCE_ROOT
set -euo pipefail
program=$(realpath "$1") root=$(realpath "$2")
for tool in pandoc python3 groff; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool" && exit 0; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$root/scripts/manual.sh" --man "$scratch/tapalab.1" "$program"
groff -man -Tutf8 -ww -P-c -rLL=200n "$scratch/tapalab.1" >"$scratch/text" 2>"$scratch/warnings"
if [[ -s $scratch/warnings ]]; then
  cat "$scratch/warnings"
  exit 1
fi
sed -E 's/.\x08//g' "$scratch/text" >"$scratch/plain"
missing=0
for command in $("$program" --help | awk '/^Commands:/ {on = 1; next} /^$/ {on = 0} on {print $1}'); do
  grep -q "^ *tapalab $command$" "$scratch/plain" || { echo "no section: $command" && missing=1; }
  for option in $("$program" "$command" --help | grep -oE '^  (-h,)?--[a-z0-9-]+' | sed 's/.*--/--/'); do
    # A man page has few lines in which an option begins: those of its own section.
    awk -v head="tapalab $command" -v option="$option" '
      /^   tapalab / {inside = substr($0, 4) == head}
      inside && index($0, "       ") == 1 && ($1 == option || $2 == option) {found = 1}
      END {exit !found}' "$scratch/plain" || { echo "$command: no $option" && missing=1; }
  done
done
for name in TAPALAB_SIMD TAPALAB_DATA "EXIT STATUS" ENVIRONMENT FILES; do
  grep -q "$name" "$scratch/plain" || { echo "no $name" && missing=1; }
done
exit "$missing"
