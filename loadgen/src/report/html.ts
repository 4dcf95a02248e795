/**
 * .bench/benchmark-report.html: the answers, the parts of the report with their plots, memory, and the limits. The page
 * is one file that loads no other and runs no script.
 *
 * Invariant: the same result gives the same bytes, and text of the result never becomes markup.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { RawResult } from '../result/result.ts';
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
h1{font-size:clamp(1.7rem,4vw,2.7rem);line-height:1.12;margin:0 0 .5rem;letter-spacing:-.02em;text-wrap:balance}
h2{font-size:1.45rem;letter-spacing:-.01em;margin:2.4rem 0 .3rem}
h3{font-size:1.02rem;margin:0;line-height:1.3}
p{margin:.4rem 0}
ul{padding-left:1.1rem}
li{margin:.3rem 0}
.cards,.plots{display:grid;gap:16px}
.cards{grid-template-columns:repeat(auto-fill,minmax(max(165px,18%),1fr))}
.plots{grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr))}
.card,figure{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 16px;margin:0;min-width:0}
.bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.1rem .6rem;padding:.28rem 0;font-size:.95rem}
.bar span,.bar strong{white-space:nowrap}
@media (max-width:500px){.cards{gap:8px}.card{padding:10px}.bar{font-size:.82rem}}
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
.limits{columns:2 460px;column-gap:2.5rem;font-size:.92rem}
.limits td{white-space:normal}
table{overflow-wrap:normal;border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
`;

export function htmlReport(result: RawResult): string {
  const { answers, parts, analysis, caveats, warnings, environment, workload } = reportOf(result);
  const title = serversIn(result)
    .map((name) => result.servers[name]!.label)
    .join(' and ');
  const [design, ...loads] = parts;
  const plots = [...rateFigures(result), ...memoryFigures(result)];
  const cards = headlineRows(result).map((row) => card(result, row));
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
<div class="cards">${cards}</div>
<p class="fine">${READING}</p>
${sectionMarkup(design!)}
${plots.length === 0 ? null : html`<h2>Latency and CPU over load, memory over time</h2><div class="plots">${plots}</div>`}
${loads.map(sectionMarkup)}
<div class="limits">${[analysis, warnings, caveats, environment, workload].map(sectionMarkup)}</div>
</body>
</html>
`.text;
}

/** Returns a section, in which the label of each line is bold; nothing without rows and lines. */
function sectionMarkup({ title, table, lines }: Section): Markup | null {
  const rows = table?.rows.length ? tableMarkup(table) : null;
  if (rows === null && lines.length === 0) return null;
  const items = lines.map(labelled).map(([label, text]) => html`<li><b>${label}</b>${text}</li>`);
  return html`<section><h2>${title}</h2>${rows}${items.length === 0 ? null : html`<ul>${items}</ul>`}</section>`;
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
