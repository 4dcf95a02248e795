import type { CodecsResult } from '../codecs/codecs-result.ts';

export function codecsTerminal(result: CodecsResult): string {
  return `${result.rows.length} rows\n`;
}
