/**
 * .bench/benchmark-report.html: one file with the plots. It loads no other file and runs no script.
 *
 * Invariant: the same result gives the same bytes, and text of the result never becomes markup.
 */

import type { RawResult } from '../result/result.ts';
import { runConditions } from './conditions.ts';
import { formatDuration, group } from './format.ts';
import { html, type Markup, trusted } from './html/markup.ts';
import { type Section, sectionsOf } from './html/sections.ts';
import { STYLE } from './html/style.ts';
import { labelOf, serversIn } from './names.ts';

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function htmlReport(result: RawResult): string {
  const sections = sectionsOf(result);
  const title = serversIn(result)
    .map((name) => labelOf(result, name))
    .join(' and ');
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
${headerMarkup(result, title, sections)}
<main>
${sections.map(({ id, title, body }) => html`<section id="${id}"><h2>${title}</h2>${body}</section>\n`)}</main>
<footer>Made from the raw data of ${result.created_at}. A ratio is always Rust over TypeScript; where its interval holds 1, no difference is claimed.</footer>
</body>
</html>
`.text;
}

function headerMarkup(result: RawResult, title: string, sections: readonly Section[]): Markup {
  const all = result.measurements.flatMap(({ processes }) => processes);
  const stored = all.reduce((sum, { audit }) => sum + audit.stored_events, 0);
  const facts = [result.created_at.slice(0, 10), ...runConditions(result), ...result.flags];
  return html`<header>
<h1>${title}</h1>
<p class="lead">One event-ingest API, the same requests. ${result.measurements.length} measurements, ${all.length} processes in ${formatDuration(result.took_s)}; ${group(stored)} events were found in the files of the stopped servers.</p>
<ul class="facts">${facts.flatMap((fact) => fact.split(', ')).map((fact) => html`<li>${fact}</li>`)}</ul>
<nav>${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
</header>`;
}
