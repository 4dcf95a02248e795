/**
 * docs/suites/soak.md: which resources grow during a long run of both servers, from the result of `pnpm bench:soak`.
 *
 * Invariant: the same result gives the same bytes, and no figure is typed by hand.
 */
import { measurementNamed, type Result } from '../result/result.ts';
import { commitOf } from './conditions.ts';
import { warningLines } from './document.ts';
import { group } from './format.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { reportOf } from './model.ts';
import { serversIn } from './names.ts';
import { dashboardLines, generatorLine } from './series.ts';

export function soakDocument(result: Result): string {
  const soak = measurementNamed(result, 'soak');
  const { drift, warnings } = reportOf(result);
  if (soak === undefined || drift === null) throw new Error('the result has no soak');
  const events = Math.round(soak.audited_events / serversIn(result).length);
  const generator = generatorLine(soak);
  return `${[
    '# Soak',
    'For operators who ask what grows while a server runs. `pnpm bench:soak` measures it; `pnpm results:update` writes this file from `docs/suites/soak.json`.',
    bullets(
      [
        `${soak.title}. Sent by ${soak.driver?.name} ${soak.driver?.version ?? ''}`.trim(),
        `${result.created_at.slice(0, 10)}, ${result.environment.cpu_model ?? 'unknown CPU'}, ${result.environment.cpu_cores} cores, commit ${commitOf(result).slice(0, 7)}`,
        `The audit found each of about ${group(events)} events per server, and each stream client received all of them`,
      ].map((line) => `${markdownText(line)}.`),
    ),
    '## Drift',
    markdownTable(drift),
    'Slopes are Theil–Sen estimates with their 95 % interval, after the first minute. Within the tolerance a slope is `stable`.',
    '## Dashboard and generator',
    bullets([...dashboardLines(soak), ...(generator === null ? [] : [generator])].map(markdownText)),
    '## Warnings',
    warningLines(warnings),
  ].join('\n\n')}\n`;
}
