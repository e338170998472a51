#!/usr/bin/env bash
# The site of the documents builds; of a small one with faults, each is named and nothing is written.
#   site.sh SOURCE_ROOT
set -euo pipefail
root=$(realpath "$1")
if ! command -v pandoc >/dev/null; then
  echo "skipped: no pandoc"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$root/scripts/site.sh" "$scratch/site"
for page in index.html tutorial.html reference/json.html theory/theorem-3.3.html results/index.html figures/bias.svg; do
  [[ -s $scratch/site/$page ]] || { echo "no $page" && exit 1; }
done

small=$scratch/small
mkdir -p "$small"/docs/{theory,results,reference,figures,examples,schema} "$small/tests/data"
cp -r "$root/scripts" "$small/"
for page in docs/{tutorial,how-to,errata,architecture,theory/a,results/b,reference/c} tests/data/README; do
  printf '# Page\n\n## Part\n' >"$small/$page.md"
done
cat >"$small/README.md" <<'END'
# Small

[held](docs/theory/a.md#part), [folder](docs/theory), [file](tests/data), [gone](docs/gone.md),
[no such part](docs/theory/a.md#whole), [nor here](#nowhere), [elsewhere](https://example.org/).

![a picture](docs/figures/none.svg)

![a picture from elsewhere](https://example.org/picture.svg)
END
if "$small/scripts/site.sh" "$scratch/out" 2>"$scratch/said"; then
  echo "faults were accepted"
  exit 1
fi
cat >"$scratch/wanted" <<'END'
README.md: broken link: docs/figures/none.svg
README.md: broken link: docs/gone.md
index.html: fetches https://example.org/picture.svg
index.html: no such anchor: #nowhere
index.html: no such anchor: theory/a.html#whole
END
LC_ALL=C sort -u "$scratch/said" | diff "$scratch/wanted" -
[[ ! -e $scratch/out ]] || { echo "a site with faults was written" && exit 1; }

mkdir "$scratch/notebooks"
echo '<!doctype html><title>Notebooks</title><p id="here"><a href="#here">here</a>' >"$scratch/notebooks/index.html"
printf '# Small\n' >"$small/README.md"
"$small/scripts/site.sh" --notebooks "$scratch/notebooks" "$scratch/out"
cmp "$scratch/notebooks/index.html" "$scratch/out/notebooks/index.html"
grep -q '<a href="../notebooks/index.html">Notebooks</a>' "$scratch/out/theory/a.html"
