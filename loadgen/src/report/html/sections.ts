/** The sections of the page: which plots and tables stand where, and what is left out when it was not run. */

import { headlineOf, measurementNamed, type RawMeasurement, type RawResult } from '../../result/result.ts';
import { READING, runConditions, thresholdLines, warningsOf, workloadLine } from '../conditions.ts';
import { rowsOf, tableOf } from '../rows.ts';
import {
  ceilingLines,
  dashboardLines,
  driftKeys,
  driftTable,
  OPEN_READING,
  openMeasurements,
  openTable,
} from '../series.ts';
import { type Figure, figureMarkup, tableMarkup } from './figure.ts';
import { distributionFigure, percentileFigure, REQUEST, rateFigure, STREAM } from './latency-figures.ts';
import { html, type Markup } from './markup.ts';
import { cpuFigure, limitFigure, roundsFigure } from './round-figures.ts';
import { ROUND_COLUMNS, SOAK_COLUMNS, timeFigure } from './time-figures.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/** Those that have something to show. */
export function plotSections(result: RawResult): Section[] {
  const headline = headlineOf(result);
  const single = measurementNamed(result, 'single');
  const power = measurementNamed(result, 'power');
  const closed = distinct([headline, measurementNamed(result, 'corpus'), single, power]);
  const open = openMeasurements(result);
  const stream = measurementNamed(result, 'stream');
  const soak = measurementNamed(result, 'soak');
  return [
    plots(
      'throughput',
      'Throughput and cost',
      'As many requests as will go over fixed connections, and what each event costs the server.',
      [
        ...closed.flatMap((measurement) => roundsFigure(result, measurement)),
        ...limitFigure(result),
        ...cpuFigure(result),
      ],
    ),
    plots(
      'open',
      'Latency at a fixed rate',
      'Requests are due at fixed times, and latency counts from then: a stall counts against every request that had to wait.',
      [
        ...rateFigure(result, 'latency_p50_ms', 'Latency p50'),
        ...rateFigure(result, 'latency_p99_ms', 'Latency p99'),
        ...open.flatMap((measurement) => percentileFigure(result, measurement, REQUEST)),
      ],
      open.length === 0
        ? null
        : wide(
            'All rates as a table',
            html`${tableMarkup(openTable(result))}<p class="fine">${OPEN_READING}</p>`,
          ),
    ),
    plots(
      'queue',
      'Latency under a full queue',
      'In a closed loop the next request waits for the last answer; these compare the two under the same pressure.',
      distinct([headline, single, power]).flatMap((measurement) => [
        ...distributionFigure(result, measurement, REQUEST),
        ...percentileFigure(result, measurement, REQUEST),
      ]),
    ),
    plots(
      'resources',
      'Memory and CPU over time',
      `${headline?.title ?? ''}: the server’s process alone, as the operating system says.`,
      headline === undefined ? [] : ROUND_COLUMNS.flatMap((column) => timeFigure(result, headline, column)),
    ),
    plots(
      'stream',
      'Stream',
      'How long after its transaction an event reaches a client that listens.',
      stream === undefined
        ? []
        : [
            ...distributionFigure(result, stream, STREAM),
            ...percentileFigure(result, stream, STREAM),
            ...percentileFigure(result, stream, REQUEST),
          ],
    ),
    plots(
      'soak',
      'Soak',
      soak === undefined ? '' : `${soak.title}: ${workloadLine(soak)}.`,
      soak === undefined
        ? []
        : [
            ...SOAK_COLUMNS.flatMap((column) => timeFigure(result, soak, column)),
            ...percentileFigure(result, soak, REQUEST),
          ],
      soak === undefined || driftKeys(soak).length === 0
        ? null
        : wide(
            'Drift as a table',
            html`${tableMarkup(driftTable(result, soak))}<p class="fine">${dashboardLines(soak).join(' ')}</p>`,
          ),
    ),
  ].filter((section) => section !== null);
}

function distinct(measurements: readonly (RawMeasurement | undefined)[]): RawMeasurement[] {
  return [...new Set(measurements)].filter((found) => found !== undefined);
}

export function tableSection(result: RawResult): Section {
  return {
    id: 'tables',
    title: 'Every measurement',
    body: html`<p class="intro">${READING}.</p>${result.measurements.map((measurement) =>
      wide(
        measurement.title,
        html`<p class="fine">${workloadLine(measurement)}</p>${tableMarkup(
          tableOf(result, rowsOf(result, measurement), ['delta', 'ratio', 'meaning']),
        )}${ceilingLines(result, measurement).map((line) => html`<p class="fine">${line}</p>`)}`,
      ),
    )}`,
  };
}

export function warningSection(result: RawResult): Section {
  const warnings = warningsOf(result);
  const body =
    warnings.length === 0
      ? html`<p>None was found in this run.</p>`
      : html`<ul class="warnings">${warnings.map(
          ({ measurement, message, advice }) =>
            html`<li><b>${measurement ?? 'The run'}</b>: ${message}<small>${advice}</small></li>`,
        )}</ul>`;
  return { id: 'warnings', title: 'Warnings', body };
}

export function conditionSection(result: RawResult): Section {
  const { environment, placement } = result;
  const facts: readonly (readonly [string, string])[] = [
    ...runConditions(result).map((line, i) => [['Machine', 'Database', 'Code'][i] ?? '', line] as const),
    ['Placement', placement.reason],
    ['Load before', environment.load_average.map((load) => load.toFixed(2)).join(', ')],
    ['Flags', result.flags.join(' ') || 'none'],
    ...thresholdLines(result).map((line) => ['Condition', line] as const),
  ];
  return {
    id: 'conditions',
    title: 'Conditions',
    body: html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`,
  };
}

function plots(
  id: string,
  title: string,
  intro: string,
  figures: readonly Figure[],
  after: Markup | null = null,
): Section | null {
  if (figures.length === 0) return null;
  return {
    id,
    title,
    body: html`<p class="intro">${intro}</p><div class="plots">${figures.map(figureMarkup)}</div>${after}`,
  };
}

function wide(title: string, body: Markup): Markup {
  return html`<details class="wide"><summary>${title}</summary>${body}</details>`;
}
