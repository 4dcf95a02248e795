/**
 * .bench/benchmark-report.html: the answers, the six rows, design and language, the plots, and how far the figures can
 * be trusted. All tables and lists below that are folded, so that the page has at most six screens on a phone. It is one
 * file that loads no other and runs no script.
 *
 * Invariant: the same result gives the same bytes, and text of the result never becomes markup.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { RawResult } from '../result/result.ts';
import { choiceOf } from './choice.ts';
import { READING, takenText } from './conditions.ts';
import { formatMedian, formatRatio } from './format.ts';
import { LOOKS } from './html/draw.ts';
import { memoryFigures, rateFigures } from './html/figures.ts';
import { html, type Markup, trusted } from './html/markup.ts';
import { reportOf } from './model.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { headlineRows, labelled, type Row, type Section, type Table, verdictText } from './rows.ts';

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The style for light and dark mode, and for widths from a phone to a wide screen. It defines the colours of `LOOKS`. */
const STYLE = `
:root{color-scheme:light dark;--rs:#c2410c;--ts:#0067a8;--ground:#f6f7f9;--card:#fff;--ink:#16202c;--soft:#56616f;--line:#dfe3e8}
@media (prefers-color-scheme:dark){:root{--rs:#ff9e5e;--ts:#62bdf5;--ground:#0e141b;--card:#18212b;--ink:#e9eef4;--soft:#9dabba;--line:#2c3844}}
*{box-sizing:border-box}
body{max-width:1440px;margin:0 auto;padding:clamp(12px,2.2vw,32px);overflow-wrap:anywhere;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
h1{font-size:clamp(1.7rem,4vw,2.2rem);line-height:1.12;margin:0 0 .5rem;letter-spacing:-.02em;text-wrap:balance}
h2{font-size:1.45rem;letter-spacing:-.01em;margin:1.7rem 0 .3rem}
h3{font-size:1.02rem;margin:0;line-height:1.3}
p{margin:.4rem 0}
ul{padding-left:1.1rem}
li{margin:.3rem 0}
.cards,.plots{display:grid;gap:16px}
.cards{grid-template-columns:repeat(auto-fill,minmax(max(150px,28%),1fr))}
.plots{grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr))}
.card,figure{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 16px;margin:0;min-width:0}
.bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.1rem .6rem;padding:.28rem 0;font-size:.95rem}
.bar span,.bar strong{white-space:nowrap}
.bar i{flex:0 0 100%;height:8px;border-radius:4px;background:linear-gradient(to right,var(--own) var(--part),var(--line) var(--part))}
.rs{--own:var(--rs)}.ts{--own:var(--ts)}
.bar b,.key b{color:var(--own)}
.verdict{font-weight:650;line-height:1.35;margin:.5rem 0 .1rem;padding-top:.5rem;border-top:1px solid var(--line)}
figcaption,thead th,.fine{color:var(--soft)}
.fine{font-size:.84rem;margin:0}
.key{display:flex;gap:1.1rem;font-size:.88rem}
svg{display:block;width:100%;height:auto;overflow:visible;max-width:640px}
svg text{white-space:pre}
svg [aria-label$="grid"]{stroke:var(--line);stroke-opacity:1}
figcaption{font-size:.87rem;line-height:1.4}
.table{overflow-x:auto;margin:.3rem 0 1rem}
details{border-top:1px solid var(--line)}
summary{padding:.55rem 0;font-weight:650;cursor:pointer}
table{overflow-wrap:normal;border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
@media (min-width:1100px){.glance:has(section){display:grid;grid-template-columns:3fr 2fr;gap:2rem}.glance h2{margin-top:0}.glance th,.glance td{white-space:normal}}
@media (max-width:500px){.cards{gap:8px}.card{padding:10px}.bar{font-size:.82rem}table{font-size:.78rem}th,td{white-space:normal;padding-right:.4rem}}
`;

export function htmlReport(result: RawResult): string {
  const { answers, results, parts, analysis, caveats, warnings, environment, workload } = reportOf(result);
  const title = serversIn(result)
    .map((name) => result.servers[name]!.label)
    .join(' and ');
  const [design, ...loads] = parts;
  const plots = [...rateFigures(result), ...memoryFigures(result)];
  const rows = Object.values(choiceOf(result) ?? headlineRows(result));
  const folded = [{ ...results, lines: [] }, ...loads, analysis, warnings, caveats, environment, workload];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>twin-ingest benchmark: ${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(STYLE)}</style>
</head>
<body>
<h1>${title}</h1>
<p>One event-ingest API, the same requests. ${takenText(result)}</p>
${sectionMarkup(answers)}
<div class="glance"><div><div class="cards">${rows.map((row) => card(result, row))}</div>
<p class="fine">${READING}</p></div>
${sectionMarkup(design!)}</div>
${plots.length === 0 ? null : html`<h2>Latency and CPU over load, memory over time</h2><div class="plots">${plots}</div>`}
<h2>All figures, and how far they can be trusted</h2>
${folded.map(foldedMarkup)}
</body>
</html>
`.text;
}

/** Returns a section; nothing without rows and lines. */
function sectionMarkup(section: Section): Markup | null {
  const content = contentMarkup(section);
  return content && html`<section><h2>${section.title}</h2>${content}</section>`;
}

/** Returns a section that a reader opens. Its title has the number of its rows, or of its lines. */
function foldedMarkup(section: Section): Markup | null {
  const { title, table, lines } = section;
  const content = contentMarkup(section);
  const count = table?.rows.length || lines.length;
  return content && html`<details><summary>${title} (${count})</summary>${content}</details>`;
}

/** Returns the table, and the lines with bold labels. */
function contentMarkup({ table, lines }: Section): Markup | null {
  const rows = table?.rows.length ? tableMarkup(table) : null;
  const items = lines.map(labelled).map(([label, text]) => html`<li><b>${label}</b>${text}</li>`);
  if (rows === null && items.length === 0) return null;
  return html`${rows}${items.length === 0 ? null : html`<ul>${items}</ul>`}`;
}

function tableMarkup({ head, rows }: Table): Markup {
  const cells = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`));
  return html`<div class="table"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</tbody></table></div>`;
}

/** Returns a figure with a bar for each server, and the verdict as a sentence. */
function card(result: RawResult, row: Row): Markup {
  const servers = serversIn(result);
  const verdict = html`<p class="verdict">${verdictText(row)}</p><p class="fine">Rust / TypeScript ${formatRatio(row.comparison)}</p>`;
  return html`<article class="card"><h3>${row.label}</h3>
${servers.map((name) => bar(row, name))}
${servers.length > 1 ? verdict : null}</article>
`;
}

function bar({ summaries, unit }: Row, name: TargetName): Markup {
  const most = Math.max(...Object.values(summaries).map((summary) => summary?.median ?? 0));
  const width = (100 * (summaries[name]?.median ?? 0)) / (most || 1);
  return html`<div class="bar ${name}"><span><b aria-hidden="true">${LOOKS[name].mark}</b> ${SHORT_NAMES[name]}</span><strong>${formatMedian(summaries[name], unit).replace(' events/s', '/s')}</strong><i style="--part:${width.toFixed(1)}%"></i></div>
`;
}
