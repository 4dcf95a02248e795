/** The sections of the page in their order: the answers, the parts of the report, memory, and the limits. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { headlineOf, type RawResult } from '../../result/result.ts';
import { answers } from '../choice.ts';
import { READING } from '../conditions.ts';
import { formatMedian, formatRatio } from '../format.ts';
import { type Part, type Report, reportOf } from '../model.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { isCompared, type Row, type Table } from '../rows.ts';
import { verdictText } from '../verdict.ts';
import { LOOKS } from './draw.ts';
import { memoryFigure, rateFigure } from './figures.ts';
import { html, type Markup } from './markup.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

export function sectionsOf(result: RawResult): Section[] {
  const report = reportOf(result);
  return [
    answer(result, report),
    ...report.parts.map((part) => partSection(result, part)),
    ...memory(result),
    trust(report),
  ];
}

/** The answers for each reader, and the headline as cards. */
function answer(result: RawResult, { headline }: Report): Section {
  const lines = answers(result).map(({ reader, text }) => html`<li><b>${reader}:</b> ${text}</li>`);
  const cards = headline.filter(({ key }) => key !== 'deployed_bytes').map((row) => card(result, row));
  return {
    id: 'answer',
    title: 'Which server',
    body: html`<ul class="answers">${lines}</ul><div class="cards">${cards}</div><p class="fine">${READING}.</p>`,
  };
}

/** One figure with a bar for each server, and the verdict as a sentence. */
function card(result: RawResult, row: Row): Markup {
  const servers = serversIn(result);
  const most = Math.max(...servers.map((name) => row.summaries[name]?.median ?? 0));
  const ratio = row.comparison && html`<p class="fine">Rust / TypeScript ${formatRatio(row.comparison)}</p>`;
  return html`<article class="card"><h3>${row.label}</h3>
${servers.map((name) => bar(row, name, most))}
${isCompared(result) ? html`<p class="verdict">${verdictText(row)}</p>${ratio}` : null}</article>
`;
}

function bar({ summaries, unit }: Row, name: TargetName, most: number): Markup {
  const summary = summaries[name] ?? null;
  const width = summary === null || most === 0 ? 0 : (100 * summary.median) / most;
  return html`<div class="bar ${name}"><span><b aria-hidden="true">${LOOKS[name].mark}</b> ${SHORT_NAMES[name]}</span><strong>${formatMedian(summary, unit)}</strong><i style="--part:${width.toFixed(1)}%"></i></div>
`;
}

function partSection(result: RawResult, { id, title, table, lines }: Part): Section {
  const figures =
    id === 'open'
      ? html`<div class="plots">${rateFigure(result, 'latency_p99_ms', 'Latency p99', 'ms')}${rateFigure(result, 'server_cpu_us_per_event', 'CPU per event', 'µs')}</div>`
      : null;
  return { id, title, body: html`${figures}${tableMarkup(table)}${list(lines)}` };
}

function memory(result: RawResult): Section[] {
  const headline = headlineOf(result);
  const figure = headline === undefined ? null : memoryFigure(result, headline);
  if (figure === null) return [];
  const body = html`<p class="intro">${headline!.title}: the process of the server alone, slice by slice.</p><div class="plots">${figure}</div>`;
  return [{ id: 'memory', title: 'Memory over time', body }];
}

function trust({ trust: lines, warnings }: Report): Section {
  const found = warnings.map(
    ({ seen, limit, advice }) => html`<li>${seen}<small>It ${limit}. ${advice}</small></li>`,
  );
  return {
    id: 'warnings',
    title: 'How far this can be trusted',
    body: html`${list(lines)}${found.length === 0 ? html`<p>This run has no warnings.</p>` : html`<ul class="warnings">${found}</ul>`}`,
  };
}

function list(lines: readonly string[]): Markup | null {
  return lines.length === 0 ? null : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function tableMarkup({ head, rows }: Table): Markup {
  return html`<div class="table"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${row.map((cell, i) => (i === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`))}</tr>`,
  )}</tbody></table></div>`;
}
