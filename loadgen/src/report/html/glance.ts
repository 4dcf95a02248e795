/** The headline at a glance: a card a figure, with both servers as bars and the verdict as a sentence. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../../result/result.ts';
import { formatMedian, formatRatio, percent } from '../format.ts';
import { SHORT_NAMES, serversIn } from '../names.ts';
import { isCompared, type Row, rowSentence, rowsOf, sizeRows } from '../rows.ts';
import { openMeasurements, shareOfCeiling } from '../series.ts';
import { html, type Markup } from './markup.ts';
import { LOOKS } from './servers.ts';

interface Card {
  readonly row: Row;
  readonly under: string;
  readonly ceiling: Measurement | null;
}

export function glance(result: Result): Markup {
  return html`<div class="cards">${cardsOf(result).map((card) => cardMarkup(result, card))}</div>`;
}

/** What the run has of these, in this order. */
function cardsOf(result: Result): Card[] {
  const headline = headlineOf(result);
  const single = measurementNamed(result, 'single');
  // The same rate for both is what can be compared; a share of its own asks more of the faster.
  const open = measurementNamed(result, 'open_10000') ?? openMeasurements(result)[0];
  const of = (measurement: Measurement | undefined, key: string): Card[] => {
    if (measurement === undefined) return [];
    const row = rowsOf(result, measurement).find((candidate) => candidate.key === key);
    if (row === undefined) return [];
    const limited = key === 'throughput_events_per_s' && measurement.driver?.model === 'closed';
    return [{ row, under: measurement.title, ceiling: limited ? measurement : null }];
  };
  const size = sizeRows(result).find((row) => row.key === 'deployed_with_runtime_bytes');
  return [
    ...of(headline, 'throughput_events_per_s'),
    ...(single === headline ? [] : of(single, 'throughput_events_per_s')),
    ...of(headline, 'server_cpu_us_per_event'),
    ...of(open ?? headline, 'latency_p99_ms'),
    ...of(headline, 'peak_rss_bytes'),
    ...of(measurementNamed(result, 'startup'), 'start_ms'),
    ...of(measurementNamed(result, 'stream'), 'stream_lag_p99_ms'),
    ...(size === undefined ? [] : [{ row: size, under: 'On disk', ceiling: null }]),
  ];
}

function cardMarkup(result: Result, { row, under, ceiling }: Card): Markup {
  const servers = serversIn(result);
  const most = Math.max(...servers.map((name) => row.summaries[name]?.median ?? 0));
  return html`<article class="card"><h3>${row.label}</h3><p class="under">${under}</p>
${servers.map((name) => barMarkup(result, row, name, most, ceiling))}
${isCompared(result) ? html`<p class="verdict">${verdictOf(row)}</p>${fine(row)}` : null}</article>
`;
}

function barMarkup(
  result: Result,
  row: Row,
  name: TargetName,
  most: number,
  ceiling: Measurement | null,
): Markup {
  const summary = row.summaries[name] ?? null;
  const width = summary === null || most === 0 ? 0 : (100 * summary.median) / most;
  const share = ceiling === null ? null : shareOfCeiling(result, ceiling, name);
  return html`<div class="bar ${name}"><span><b aria-hidden="true">${LOOKS[name].mark}</b> ${SHORT_NAMES[name]}</span><strong>${formatMedian(summary, row.unit)}</strong><i style="--part:${width.toFixed(1)}%"></i>${
    share === null ? null : html`<small>${percent(share)} of what its database takes in bulk</small>`
  }</div>
`;
}

/** The sentence without what stands in brackets: that is small below. */
function verdictOf(row: Row): string {
  return rowSentence(row).replace(/ \([^()]*\)\.$/, '.');
}

function fine({ comparison }: Row): Markup | null {
  if (comparison === null) return null;
  return html`<p class="fine"><span>Rust / TypeScript ${formatRatio(comparison)}</span></p>`;
}
