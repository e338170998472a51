#!/usr/bin/env bash
# The documentation as a site of plain HTML: README, docs/**/*.md, and an index of each folder.
#   scripts/site.sh [--notebooks DIR] [OUT]   OUT: out/site unless told; it is replaced as a whole
# --notebooks: pages of notebooks with their index.html, as the build leaves them in its folder
# notebooks, are copied and stand in the navigation.
# Needs pandoc (exit code 3 without it). Exit code 1, and OUT left as it was, where a link or an
# anchor is broken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
notebooks=''
if [[ ${1-} == --notebooks ]]; then
  notebooks=${2?--notebooks needs a folder}
  shift 2
  [[ -f $notebooks/index.html ]] || { echo "site.sh: $notebooks has no index.html" >&2 && exit 2; }
fi
out=${1:-out/site}
if ! command -v pandoc >/dev/null; then
  echo "site.sh: pandoc is missing; install it (apt-get install pandoc) and try again" >&2
  exit 3
fi
if [[ -e $out && ! -f $out/style.css ]]; then
  echo "site.sh: $out is not a site of ours; name another folder" >&2
  exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
site=$scratch/site
mkdir -p "$site"
export TAPALAB_PAGES=$scratch/pages TAPALAB_FAULTS=$scratch/faults
: >"$TAPALAB_FAULTS"

# title PAGE: its first heading
title() { sed -n 's/^# //p' "$1" | head -1; }

# index_of FOLDER: a page that lists its pages; statements of the paper before the rest
index_of() {
  local page name
  printf '# %s\n\n' "$2"
  for name in paper rest; do
    [[ $1 != docs/theory ]] || { [[ $name == paper ]] && printf '## The paper\n\n' || printf '\n## Derived, and how it is computed\n\n'; }
    for page in "$1"/*.md; do
      case ${page##*/} in
        theorem-* | lemma-* | assumption-* | figure-1.md | retrieval.md | stationary-phase.md) [[ $name == paper ]] || continue ;;
        *) [[ $name == rest ]] || continue ;;
      esac
      printf -- '- [%s](%s)\n' "$(title "$page")" "${page##*/}"
    done
  done
}

mkdir -p "$scratch/source"
for folder in theory results reference; do
  [[ $folder == reference ]] && heading=Reference || heading=${folder^}
  index_of "docs/$folder" "$heading" >"$scratch/source/$folder.md"
done

# "SOURCE<tab>OUTPUT" of every page, and of the folders, whose index a link to them means.
{
  printf 'README.md\tindex.html\ntests/data/README.md\tactivations.html\n'
  find docs -name '*.md' | LC_ALL=C sort | sed -E 's|^docs/(.*)\.md$|&\t\1.html|'
  for folder in theory results reference; do printf 'docs/%s\t%s/index.html\n' "$folder" "$folder"; done
} >"$TAPALAB_PAGES"

entries=("tapalab|index.html" "Tutorial|tutorial.html" "How-to|how-to.html" "Reference|reference/index.html"
  "Theory|theory/index.html" "Errata|errata.html" "Architecture|architecture.html" "Results|results/index.html")
[[ -z $notebooks ]] || entries+=("Notebooks|notebooks/index.html")

# navigation OUTPUT: links of the head of a page
navigation() {
  local up entry target mark
  up=$(sed -E 's|[^/]+$||; s|[^/]+/|../|g' <<<"$1")
  for entry in "${entries[@]}"; do
    target=${entry#*|} mark=
    if [[ $target == "$1" || ($target == */index.html && $1 == "${target%/*}"/*) ]]; then mark=' aria-current="page"'; fi
    printf '<a href="%s%s"%s>%s</a>\n' "$up" "$target" "$mark" "${entry%|*}"
  done
}

# build SOURCE OUTPUT FILE: FILE holds the text of the page SOURCE
build() {
  mkdir -p "$site/$(dirname "$2")"
  TAPALAB_PAGE=$1 pandoc -f gfm+tex_math_dollars -t html5 --mathml --no-highlight --toc --toc-depth=2 \
    --template scripts/site/template.html --lua-filter scripts/site/page.lua \
    -V nav="$(navigation "$2")" "$3" -o "$site/$2"
}

while IFS=$'\t' read -r source output; do
  file=$source
  case $source in
    docs/theory | docs/results | docs/reference) file=$scratch/source/${source#docs/}.md source+=/index.md ;;
  esac
  [[ $source != */index.md ]] || printf '%s\t%s\n' "$source" "$output" >>"$TAPALAB_PAGES.more"
  printf '%s\t%s\t%s\n' "$source" "$output" "$file"
done <"$TAPALAB_PAGES" >"$scratch/work"
cat "$TAPALAB_PAGES.more" >>"$TAPALAB_PAGES"
running=0
while IFS=$'\t' read -r source output file; do
  build "$source" "$output" "$file" &
  ((++running % 4)) || wait
done <"$scratch/work"
wait
cp scripts/site/style.css "$site/"
cp -r docs/figures docs/examples docs/schema "$site/"
if [[ $notebooks ]]; then
  mkdir "$site/notebooks"
  cp "$notebooks"/*.html "$site/notebooks/"
fi

# Every page must be there, every local link must name a file of the site, and every anchor an id of
# its page; nothing may be fetched from elsewhere, and no script run.
cut -f2 "$scratch/work" | while read -r output; do
  [[ -s $site/$output ]] || echo "$output: was not built" >>"$TAPALAB_FAULTS"
done
(cd "$site" && find . -type f -printf '%P\n') >"$scratch/files"
(cd "$site" && find . -name '*.html' -printf '%P\n' | LC_ALL=C sort | xargs awk -v files="$scratch/files" '
  function normal(path, parts, n, i, m, kept, text) {
    n = split(path, parts, "/"); m = 0
    for (i = 1; i <= n; ++i) {
      if (parts[i] == "..") --m
      else if (parts[i] != "." && parts[i] != "") kept[++m] = parts[i]
    }
    text = kept[1]; for (i = 2; i <= m; ++i) text = text "/" kept[i]
    return text
  }
  BEGIN { while ((getline line < files) > 0) held[line] = 1 }
  {
    rest = $0
    while (match(rest, /(id|href|src)="[^"]*"/)) {
      found = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      name = found; sub(/=.*/, "", name)
      value = found; sub(/^[^"]*"/, "", value); sub(/"$/, "", value)
      if (name == "id") ids[FILENAME "#" value] = 1
      else if (value ~ /^data:/) continue
      else if (value ~ /^[a-z]+:/) { if (name == "src") print FILENAME ": fetches " value }
      else { from[++count] = FILENAME; to[count] = value }
    }
    if (/<script|<link [^>]*href="[a-z]+:\/\//) print FILENAME ": fetches or runs something"
  }
  END {
    for (i = 1; i <= count; ++i) {
      path = to[i]; sub(/#.*/, "", path)
      anchor = to[i] ~ /#/ ? to[i] : ""; sub(/^[^#]*#/, "", anchor)
      folder = from[i]; if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
      target = path == "" ? from[i] : normal(folder "/" path)
      if (!(target in held)) print from[i] ": broken link: " to[i]
      else if (anchor != "" && !((target "#" anchor) in ids)) print from[i] ": no such anchor: " to[i]
    }
  }') >>"$TAPALAB_FAULTS"
if [[ -s $TAPALAB_FAULTS ]]; then
  cat "$TAPALAB_FAULTS" >&2
  exit 1
fi
rm -rf "$out"
mkdir -p "$(dirname "$out")"
mv "$site" "$out"
echo "$(wc -l <"$scratch/work") pages in $out"
