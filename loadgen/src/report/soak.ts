/**
 * docs/suites/soak.md: which resources grow during a long run of both servers, from the result of `pnpm bench:soak`.
 *
 * Invariant: the same result gives the same bytes, and no figure is typed by hand.
 */
import { measurementNamed, type Result } from '../result/result.ts';
import { commitOf, warningKinds } from './conditions.ts';
import { warningLines } from './document.ts';
import { formatValue, group, percent } from './format.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { soakPart } from './model.ts';
import { serversIn } from './names.ts';

export function soakDocument(result: Result): string {
  const soak = measurementNamed(result, 'soak');
  if (soak === undefined) throw new Error('the result has no soak');
  const { table, lines } = soakPart(result);
  const { generator, driver, audited_events, title } = soak;
  const events = Math.round(audited_events / serversIn(result).length);
  const { cpu_model, cpu_cores } = result.environment;
  return `${[
    '# Soak',
    'For operators who ask what grows while a server runs. `pnpm bench:soak` measures it; `pnpm results:update` writes this file from `docs/suites/soak.json`.',
    bullets(
      [
        `${title}. Sent by ${driver!.name} ${driver!.version}.`,
        `${result.created_at.slice(0, 10)}, ${cpu_model ?? 'unknown CPU'}, ${cpu_cores} cores, commit ${commitOf(result).slice(0, 7)}.`,
        `The audit found each of about ${group(events)} events per server, and each stream client received all of them.`,
      ].map(markdownText),
    ),
    '## Drift',
    markdownTable(table),
    'Slopes are Theil–Sen estimates with their 95 % interval, after the first minute. Within the tolerance a slope is `stable`.',
    '## Dashboard and generator',
    bullets([
      ...lines.map(markdownText),
      `Generator: ${formatValue(generator!.cpu_us_per_event, 'us')} of CPU per event, ${percent(generator!.core_share)} of a core.`,
    ]),
    '## Warnings',
    warningLines(warningKinds(result)),
  ].join('\n\n')}\n`;
}
