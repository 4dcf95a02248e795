/** The sections of the page in their order. A section without content is left out. */

import { headlineOf, type RawResult } from '../../result/result.ts';
import { answers } from '../choice.ts';
import { kindsOf, READING, seenText } from '../conditions.ts';
import { limitOf } from '../document.ts';
import { type Report, reportOf } from '../model.ts';
import { OPEN_READING } from '../series.ts';
import { type Figure, figureMarkup, tableMarkup } from './figure.ts';
import { glance } from './glance.ts';
import { html, type Markup } from './markup.ts';
import { memoryFigure } from './memory-figure.ts';
import { rateFigure } from './rate-figures.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

export function sectionsOf(result: RawResult): Section[] {
  const report = reportOf(result);
  const sections = [
    answer(result),
    design(report),
    load(result, report),
    overTime(result, report),
    trust(report),
  ];
  return sections.filter((section) => section !== null);
}

function answer(result: RawResult): Section {
  const lines = answers(result).map(({ reader, text }) => html`<li><b>${reader}:</b> ${text}</li>`);
  return {
    id: 'answer',
    title: 'Which server',
    body: html`${lines.length === 0 ? null : html`<ul class="answers">${lines}</ul>`}${glance(result)}<p class="fine">${READING}.</p>`,
  };
}

function design({ design: found }: Report): Section | null {
  if (found === null) return null;
  const sentences = found.sentences.map((line) => html`<li>${line}</li>`);
  return {
    id: 'design',
    title: 'Design and language',
    body: html`<p class="intro">The same load on a plain server of each language, as a tutorial would write it, and on these servers.</p>${tableMarkup(found.table)}<ul>${sentences}</ul>`,
  };
}

function load(result: RawResult, { loads, open }: Report): Section | null {
  const figures = [
    ...rateFigure(result, 'latency_p99_ms', 'Latency p99', 'ms'),
    ...rateFigure(result, 'server_cpu_us_per_event', 'CPU per event', 'us'),
  ];
  if (figures.length === 0 && loads === null) return null;
  const tables = [
    ...(loads === null ? [] : [wide('Every closed loop', tableMarkup(loads))]),
    ...(open === null
      ? []
      : [wide('Every rate', html`${tableMarkup(open)}<p class="fine">${OPEN_READING}</p>`)]),
  ];
  return {
    id: 'load',
    title: 'Latency and CPU over load',
    body: html`<p class="intro">Requests are due at fixed times, and latency counts from then: a stall counts against every request that had to wait.</p>${plots(figures)}${tables}`,
  };
}

function overTime(result: RawResult, { drift }: Report): Section | null {
  const headline = headlineOf(result);
  if (headline === undefined) return null;
  const figures = memoryFigure(result, headline);
  return {
    id: 'time',
    title: 'Memory over time',
    body: html`<p class="intro">${headline.title}: the process of the server alone, slice by slice.</p>${plots(figures)}${drift === null ? null : tableMarkup(drift)}`,
  };
}

function trust({ trust: lines, warnings }: Report): Section {
  const found = kindsOf(warnings).map(
    (all) => html`<li>${seenText(all)}<small>It ${limitOf(all[0]!)}. ${all[0]!.advice}</small></li>`,
  );
  const list = html`<ul class="warnings">${found}</ul>`;
  return {
    id: 'warnings',
    title: 'How far this can be trusted',
    body: html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>${
      found.length === 0 ? html`<p>This run has no warnings.</p>` : list
    }`,
  };
}

function plots(figures: readonly Figure[]): Markup | null {
  return figures.length === 0 ? null : html`<div class="plots">${figures.map(figureMarkup)}</div>`;
}

function wide(title: string, body: Markup): Markup {
  return html`<details class="wide"><summary>${title}</summary>${body}</details>`;
}
