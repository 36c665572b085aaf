"""How report.html looks: on a light or a dark screen, as the reader's system prefers, and on paper."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1d21; --faint: #666b74; --rule: #24262b; --hair: #dcdfe4; --tint: #f5f6f8;
  --page: #0067a5; --site: #c8500a; --prefix: #00805f; --url-range: #a83e85; --page-hash: #5b5f66; --site-hash: #8f7a00;
  --site-packed: #7a4a2b; --domain-hash: #4f5bb5; --page-ring: #2d7d86; --site-ring: #64781f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171b; --ink: #e4e6ea; --faint: #9aa0aa; --rule: #c9ccd2; --hair: #33373e; --tint: #1d2025;
    --page: #62b5ec; --site: #f5924e; --prefix: #3ccaa0; --url-range: #e593c6; --page-hash: #b4b8bf;
    --site-hash: #d9c24d; --site-packed: #cf9a76; --domain-hash: #a3acf2; --page-ring: #7cc7cf; --site-ring: #b4c96a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 78rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 "Source Serif 4", "Source Serif Pro", Charter, "Bitstream Charter", Cambria, Georgia, serif;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .6rem; }
p { margin: .5rem 0; max-width: 46rem; }
.about { color: var(--faint); }
.answer { max-width: 58rem; margin: 1rem 0 1.4rem; }
.answer .sentence { font-size: 1.12rem; line-height: 1.45; max-width: none; }
.answer .next { max-width: none; padding: .45rem .8rem; background: var(--tint); border-left: 4px solid var(--page); }
.answer .next code { font-size: .86em; }
.warning { border-left: 4px solid var(--site); padding: .35rem .8rem; background: var(--tint); max-width: 54rem; }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(21rem, 1fr)); gap: .4rem 3rem; margin: 1.2rem 0;
}
.facts dl {
  display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.2rem; margin: 0; align-content: start;
}
.facts dt { color: var(--faint); }
.facts dd { margin: 0; font-variant-numeric: lining-nums tabular-nums; }
.left { margin: .5rem 0; padding: 0 0 0 1.1rem; }
.tables { display: grid; grid-template-columns: repeat(auto-fill, minmax(33rem, 1fr)); gap: 1.8rem 2.4rem; }
.tables.wide { grid-template-columns: 1fr; }
.tables.wide table { font-size: .95rem; table-layout: fixed; }
.tables.wide td small { font-size: .76rem; }
.table { overflow-x: auto; }
table {
  border-collapse: collapse; width: 100%; border-block: 1.5px solid var(--rule);
  font-size: .83rem; line-height: 1.3; font-variant-numeric: lining-nums tabular-nums;
}
caption { text-align: left; padding: 0 0 .45rem; line-height: 1.4; }
th, td {
  padding: .2rem 0 .2rem .45rem; text-align: right; vertical-align: top; font-weight: normal; white-space: nowrap;
}
th:first-child { padding-left: 0; text-align: right; width: 2.2rem; }
thead th { border-bottom: 1px solid var(--rule); font-style: italic; }
tbody tr + tr > * { border-top: 1px solid var(--hair); }
td b { font-weight: 700; }
td { position: relative; padding-right: .8rem; }
thead th:not(:first-child) { padding-right: .8rem; }
td sup {
  position: absolute; right: 0; width: .72rem; top: .1rem; text-align: left;
  font-size: .68rem; line-height: 1.2; color: var(--faint);
}
td small { display: block; font-size: .7rem; line-height: 1.15; color: var(--faint); }
td.none { color: var(--faint); }
.plots {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: 1.2rem 1.6rem; margin: 1rem 0;
}
.legend {
  display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: .8rem 0 0; max-width: none;
  font-style: italic; font-size: .86rem;
}
.key { width: 34px; height: 12px; margin-right: .45rem; vertical-align: -1px; }
.plot { width: 100%; height: auto; font-size: 11px; }
.plot text { fill: var(--ink); font-family: inherit; font-variant-numeric: lining-nums tabular-nums; }
.plot .title { font-size: 12.5px; font-weight: 600; }
.plot .tick { fill: var(--faint); }
.plot .x { text-anchor: middle; }
.plot .y { text-anchor: end; }
.plot .grid { stroke: var(--hair); stroke-width: 1; }
.plot .axis { stroke: var(--rule); stroke-width: 1; }
.limit { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 1.5 3; stroke-linecap: round; }
.bars { max-width: 53.75rem; font-size: 12.5px; display: block; }
.plot.bars .title { font-size: 13px; } .bars .note { fill: var(--faint); font-style: italic; }
.bars .out { fill: var(--site); }
.bars .series path { stroke: none; } .bars .faint { opacity: .4; } .bars .break { stroke: var(--paper) !important; }
.bars .break { stroke-width: 2.4; fill: none; } .series.ink { --c: var(--faint); }
.series { stroke: var(--c); fill: var(--c); stroke-width: 1.6; }
.series .line { fill: none; stroke-linejoin: round; }
.series .bar { stroke-width: 1.2; fill: none; }
.series.under .line { stroke-width: 5.5; stroke-dasharray: none !important; opacity: .45; }
.series .open { fill: none; stroke-width: 1.6; }
.series circle:not(.open), .series path:not(.line):not(.bar):not(.open) { stroke: var(--paper); stroke-width: .8; }
.series.page { --c: var(--page); } .series.site { --c: var(--site); } .series.prefix { --c: var(--prefix); }
.series.url-range { --c: var(--url-range); } .series.page-hash { --c: var(--page-hash); }
.series.site-hash { --c: var(--site-hash); } .series.site-packed { --c: var(--site-packed); }
.series.domain-hash { --c: var(--domain-hash); } .series.page-ring { --c: var(--page-ring); }
.series.site-ring { --c: var(--site-ring); }
.series.page-hash .line, .series.site-hash .line, .series.domain-hash .line, .series.page-ring .line,
.series.site-ring .line { stroke-dasharray: 4 3; }
.notes { font-size: .86rem; color: var(--faint); }
caption .notes { font-size: inherit; }
.models {
  display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .6rem 0; max-width: 52rem;
}
.models dt { font-style: italic; }
.models dd { margin: 0; }
code { font: .82em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
footer {
  margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--hair); font-size: .86rem; color: var(--faint);
}
@media (max-width: 42rem) { .tables { grid-template-columns: 1fr; } .facts { grid-template-columns: 1fr; } }
@media print {
  :root {
    --paper: #fff; --ink: #000; --faint: #444; --rule: #000; --hair: #ccc;
    --page: #0067a5; --site: #c8500a; --prefix: #00805f; --url-range: #a83e85; --page-hash: #5b5f66;
    --site-hash: #8f7a00; --site-packed: #7a4a2b; --domain-hash: #4f5bb5; --page-ring: #2d7d86; --site-ring: #64781f;
  }
  @page { margin: 16mm 14mm; }
  html { font-size: 12.5px; }
  body { font-size: 1rem; padding: 0; max-width: none; }
  .tables { grid-template-columns: 1fr; gap: 1.2rem; }
  .plots { grid-template-columns: repeat(2, 1fr); }
  .table { overflow: visible; }
  .table, .plot, tr, .facts { break-inside: avoid; }
  h2 { break-after: avoid; }
}
"""
