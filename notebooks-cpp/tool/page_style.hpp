// What notebook pages add to the report's style sheet: cells, highlighted code, formulas.
#pragma once

#include <string_view>

namespace tapalab::notebook {

inline constexpr std::string_view kPageStyle = R"css(
:root { --key: #7a2e8e; --lit: #17693a; --num: #8a4b00; --rem: #5b6470; --type: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --key: #d7a1e8; --lit: #6fcf97; --num: #f0b35a;
  --rem: #a4adb8; --type: #7db7f2; } }
main { max-width: 54rem; }
pre > code { font: inherit; background: none; padding: 0; }
code { background: var(--code); border-radius: .25rem; padding: .05rem .25rem; font-size: .9em;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
div.sourceCode { margin: .9rem 0 .4rem; border-left: .2rem solid var(--type); border-radius: .35rem;
  background: var(--code); }
div.sourceCode pre { margin: 0; }
pre.printed { background: none; border: 1px solid var(--line); }
pre.error { background: none; border: 1px solid var(--bad); color: var(--bad); white-space: pre-wrap; }
section.shown { margin: .4rem 0 1rem; } section.shown table { width: auto; }
section.shown td { font-variant-numeric: tabular-nums; }
section.shown th, section.shown td { white-space: nowrap; }
section.shown td:first-child { white-space: normal; min-width: 9rem; }
figure.shown { margin: .4rem 0 1rem; padding: .6rem; }
p:has(> math[display="block"]) { overflow-x: auto; overflow-y: hidden; }
mstyle[mathvariant="normal"] mi { text-transform: none; }
math[display="block"] { margin: .5rem 0; }
blockquote { margin: .6rem 0; padding: .1rem 1rem; border-left: .2rem solid var(--line); color: var(--soft); }
.kw, .cf, .pp, .im { color: var(--key); } .dt { color: var(--type); } .st, .ch, .sc { color: var(--lit); }
.dv, .fl, .bn { color: var(--num); } .co { color: var(--rem); font-style: italic; }
@media (max-width: 40rem) { section.shown th { white-space: normal; } section.shown table { font-size: .8rem; }
  section.shown th, section.shown td { padding: .3rem; min-width: 0; } }
@media print { div.sourceCode, figure { break-inside: avoid; } }
)css";

}  // namespace tapalab::notebook
