/** The binary suite's result as Markdown: docs/suites/binary.md. */

import { bullets, markdownTable, markdownText } from '../../report/markdown-table.ts';
import type { BinaryResult } from '../result.ts';
import { BINARY_READING, BINARY_TITLE, binaryGoalTable, binaryTables } from './tables.ts';
import { binaryLines } from './text.ts';

export function binaryDocument(binary: BinaryResult): string {
  return `${[
    `# ${BINARY_TITLE}`,
    markdownText(BINARY_READING),
    markdownTable(binaryGoalTable(binary), [0]),
    bullets(binaryLines(binary).map(markdownText)),
    ...binaryTables(binary).flatMap(({ title, table }) => [
      `## ${markdownText(title)}`,
      markdownTable(table),
    ]),
  ].join('\n\n')}\n`;
}
