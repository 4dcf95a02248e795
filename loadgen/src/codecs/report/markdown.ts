/** The codecs suite's result as Markdown: docs/suites/codecs.md. */

import { bullets, markdownTable, markdownText } from '../../report/markdown-table.ts';
import type { CodecsResult } from '../result.ts';
import { questionsOf } from './questions.ts';
import { CODECS_READING, CODECS_TITLE, codecsServers, goalTable } from './tables.ts';
import { codecsLines } from './text.ts';

export function codecsDocument(codecs: CodecsResult): string {
  const servers = codecsServers(codecs);
  return `${[
    `# ${CODECS_TITLE}`,
    CODECS_READING,
    markdownTable(goalTable(codecs), [0]),
    bullets(codecsLines(codecs).map(markdownText)),
    ...questionsOf(codecs, servers).flatMap(({ title, table }) => [
      `## ${markdownText(title)}`,
      markdownTable(table),
    ]),
    'Every row, with p50, p95, p99, memory and more: `pnpm bench:codecs --tables`.',
  ].join('\n\n')}\n`;
}
