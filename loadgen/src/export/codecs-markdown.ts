/** Formats and transports as Markdown: a section of docs/benchmark-results.md. */
import { type CodecsResult, SCENARIO_NAMES } from '../codecs/codecs-result.ts';
import {
  CODECS_READING,
  CODECS_TITLE,
  codecsServers,
  goalTable,
  SCENARIO_TITLES,
  scenarioTable,
} from './codecs-tables.ts';
import { codecsLines } from './codecs-text.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';

export function codecsSection(codecs: CodecsResult): string {
  const tables = SCENARIO_NAMES.flatMap((name) => {
    const table = scenarioTable(codecs, name);
    return table === null ? [] : [`### ${SCENARIO_TITLES[name]}`, markdownTable(table)];
  });
  // The verdict next to each figure is text.
  const left = codecsServers(codecs).map((_, i) => 3 * i + 4);
  return [
    `## ${CODECS_TITLE}`,
    CODECS_READING,
    markdownTable(goalTable(codecs), [0, 1, ...left]),
    bullets(codecsLines(codecs).map(markdownText)),
    ...tables,
  ].join('\n\n');
}
