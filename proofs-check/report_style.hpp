// The style sheet of report.html: light and dark, from phone to desk.
#pragma once

#include <string_view>

namespace tapalab {

inline constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --ground: #fbfbfa; --card: #ffffff;
  --line: #d9dde2; --good: #17693a; --mend: #7a4b00; --bad: #a32020; --mute: #5b6470; --code: #f1f2f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a4adb8; --ground: #15181c;
  --card: #1d2126; --line: #363c44; --good: #6fcf97; --mend: #f0b35a; --bad: #ff8a80; --mute: #a4adb8;
  --code: #262b31; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
main { max-width: 72rem; margin: 0 auto; padding: 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 0; } h4 { font-size: .95rem; margin: 1rem 0 .25rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); font-size: .9rem; }
a { color: inherit; text-underline-offset: .15em; }
section.claim, figure { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem; margin: 1rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.id, td.verdict { white-space: nowrap; }
td.number { max-width: 17rem; overflow-wrap: anywhere; } td { min-width: 3.5rem; }
table.evidence { table-layout: fixed; } .evidence td { overflow-wrap: anywhere; }
.evidence td:nth-child(1), .evidence td:nth-child(6) { overflow-wrap: normal; }
.evidence th:nth-child(1) { width: 6.4em; } .evidence th:nth-child(3) { width: 21%; }
.evidence th:nth-child(4) { width: 17%; } .evidence th:nth-child(5) { width: 8.4em; }
.evidence th:nth-child(6) { width: 4.2em; }
table.matrix { width: auto; margin: .4rem 0; } .matrix caption { text-align: left; color: var(--soft); }
.matrix th, .matrix td { text-align: right; min-width: 0; padding: .15rem .5rem;
  font: .82rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
td.number, pre { font: .82rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--code); padding: .6rem; border-radius: .35rem; overflow-x: auto; margin: .4rem 0; }
section.claim pre, details pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.badge { font-weight: 600; } .confirmed { color: var(--good); } .corrected { color: var(--mend); }
.refuted, .fails { color: var(--bad); } .inconclusive { color: var(--bad); } .not-run { color: var(--mute); }
figure svg, figure img { display: block; width: 100%; height: auto; background: #fff; border-radius: .25rem; }
figure .phone { display: none; }
@media (prefers-color-scheme: dark) { figure svg, figure img { filter: invert(.9) hue-rotate(180deg); } }
.formula { margin: .5rem 0; text-align: center; } .formula math { font-size: 1.05rem; margin: .15rem .7rem; }
details summary { cursor: pointer; color: var(--soft); font-size: .9rem; margin-top: .6rem; }
@media (max-width: 40rem) { main { padding: .75rem; } section.claim, figure { padding: .6rem; }
  section.claim figure { border: 0; padding: 0; } figure .desk { display: none; } figure .phone { display: block; }
  .formula math { font-size: .95rem; margin: .15rem .4rem; }
  .evidence th { width: auto !important; } .matrix th, .matrix td { padding: .1rem .16rem; font-size: .68rem; }
  .stack thead { display: none; } .stack tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  .stack td { display: block; border: 0; padding: .1rem 0; max-width: none; white-space: normal; overflow-wrap: anywhere; }
  .stack td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); font-family: system-ui, sans-serif; } }
@media print { body { background: #fff; } table { font-size: .75rem; } td.number { font-size: .7rem; }
  th, td { padding: .25rem .35rem; } section.claim, figure { border-color: #999; } figure, tr { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; } .wide { overflow: visible; }
  figure .desk { display: block; } figure .phone { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; } }
)css";

}  // namespace tapalab
