/** Formats and transports as Markdown: a section of docs/benchmark-results.md. */
import type { CodecsResult } from '../codecs/codecs-result.ts';
import { questionsOf } from './codecs-questions.ts';
import { CODECS_READING, CODECS_TITLE, codecsServers, goalTable } from './codecs-tables.ts';
import { codecsLines } from './codecs-text.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';

export function codecsSection(codecs: CodecsResult): string {
  const servers = codecsServers(codecs);
  return [
    `## ${CODECS_TITLE}`,
    CODECS_READING,
    markdownTable(goalTable(codecs), [0]),
    bullets(codecsLines(codecs).map(markdownText)),
    ...questionsOf(codecs, servers).flatMap(({ title, table }) => [
      `### ${markdownText(title)}`,
      markdownTable(table),
    ]),
    'Every row, with p50, p95, p99, memory and more: [`benchmark-report.html`](../benchmark-report.html).',
  ].join('\n\n');
}
