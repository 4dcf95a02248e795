/** The headline as cards: one card per figure, with a bar for each server and the verdict as a sentence. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Result } from '../../result/result.ts';
import { formatMedian, formatRatio } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { headlineRows, isCompared, type Row, verdictSentence } from '../rows.ts';
import { html, type Markup } from './markup.ts';
import { LOOKS } from './servers.ts';

export function glance(result: Result): Markup {
  const rows = headlineRows(result).filter(({ key }) => key !== 'deployed_bytes');
  return html`<div class="cards">${rows.map((row) => cardMarkup(result, row))}</div>`;
}

function cardMarkup(result: Result, row: Row): Markup {
  const servers = serversIn(result);
  const most = Math.max(...servers.map((name) => row.summaries[name]?.median ?? 0));
  return html`<article class="card"><h3>${row.label}</h3>
${servers.map((name) => barMarkup(row, name, most))}
${isCompared(result) ? html`<p class="verdict">${verdictSentence(row)}</p>${fine(row)}` : null}</article>
`;
}

function barMarkup(row: Row, name: TargetName, most: number): Markup {
  const summary = row.summaries[name] ?? null;
  const width = summary === null || most === 0 ? 0 : (100 * summary.median) / most;
  return html`<div class="bar ${name}"><span><b aria-hidden="true">${LOOKS[name].mark}</b> ${SHORT_NAMES[name]}</span><strong>${formatMedian(summary, row.unit)}</strong><i style="--part:${width.toFixed(1)}%"></i></div>
`;
}

function fine({ comparison }: Row): Markup | null {
  if (comparison === null) return null;
  return html`<p class="fine"><span>Rust / TypeScript ${formatRatio(comparison)}</span></p>`;
}
