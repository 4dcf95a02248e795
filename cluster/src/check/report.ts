/** Writes the verdict of a run. */
import type { Counts } from './judge.ts';
import { PROPERTIES, type Property, type Violation } from './property.ts';

/** Examples of each property that is violated. */
const EXAMPLES = 5;

export function verdictOf(counts: Counts, violations: readonly Violation[]): string {
  const faults = [...counts.faults].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = faults.reduce((sum, [, count]) => sum + count, 0);
  const properties = Object.entries(PROPERTIES) as [Property, string][];
  const lines = [
    `faults ${total}: ${faults.map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `events: ${counts.sent} sent, ${counts.acknowledged} acknowledged, ${counts.stored} stored`,
    `attempts without an answer: ${counts.unknown}; events recognised as repeated: ${counts.repeated}`,
    `reads: ${counts.reads}, of them with min_seq ${counts.moving}; streamed: ${counts.streamed} in ${counts.moves} stays`,
    `attachments acknowledged: ${counts.attached}; checks of all copies: ${counts.checks}`,
    ...properties.map(([property, meaning]) => {
      const found = violations.filter((one) => one.property === property);
      const examples = found.slice(0, EXAMPLES).map(({ text }) => `\n         ${text}`);
      return `${found.length === 0 ? 'holds   ' : 'VIOLATED'} ${meaning}${examples.join('')}`;
    }),
    `violations ${violations.length}`,
  ];
  return `${lines.join('\n')}\n`;
}
