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
import { STYLE } from './html/style.ts';
import { reportOf } from './model.ts';
import { isCompared, SHORT_NAMES, serversIn } from './names.ts';
import { headlineRows, labelled, type Row, type Section, type Table, verdictText } from './rows.ts';

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

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
  const verdict = html`<p class="verdict">${verdictText(row)}</p><p class="fine">Rust / TypeScript ${formatRatio(row.comparison)}</p>`;
  return html`<article class="card"><h3>${row.label}</h3>
${serversIn(result).map((name) => bar(row, name))}
${isCompared(result) ? verdict : null}</article>
`;
}

function bar({ summaries, unit }: Row, name: TargetName): Markup {
  const most = Math.max(...Object.values(summaries).map((summary) => summary?.median ?? 0));
  const width = (100 * (summaries[name]?.median ?? 0)) / (most || 1);
  return html`<div class="bar ${name}"><span><b aria-hidden="true">${LOOKS[name].mark}</b> ${SHORT_NAMES[name]}</span><strong>${formatMedian(summaries[name], unit).replace(' events/s', '/s')}</strong><i style="--part:${width.toFixed(1)}%"></i></div>
`;
}
