/**
 * The block of docs/performance.md with the current figures of the servers.
 *
 * Invariant: every figure follows from the result.
 */
import type { Result } from '../result/result.ts';
import { commitOf } from './conditions.ts';
import { metricTable } from './markdown.ts';
import { bullets, markdownText } from './markdown-table.ts';
import { reportOf } from './model.ts';

/** Returns the headline, and how far its figures can be trusted, as Markdown. */
export function currentSection(result: Result): string {
  const { headline, trust } = reportOf(result);
  const { created_at, environment } = result;
  const taken =
    `Measured on ${created_at.slice(0, 10)} at commit ${commitOf(result).slice(0, 7)}, on ${environment.cpu_cores} cores of ` +
    `${environment.cpu_model ?? 'an unknown CPU'}.`;
  return [
    markdownText(taken),
    '',
    metricTable(result, headline, ['ratio']),
    '',
    bullets(trust.map(markdownText)),
  ].join('\n');
}
