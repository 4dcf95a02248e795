/** What tauri-bin-transfer-bench reported, next to what this result says: a table of docs/prior-benchmarks.md. */
import type { BinaryResult } from '../binary/binary-result.ts';
import { outcomeOf } from '../binary/goal.ts';
import { GOALS } from '../binary/goals.ts';
import { binaryGoalText, binaryServers } from './binary-tables.ts';
import { binaryConditions } from './binary-text.ts';
import { markdownTable } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';

export function binaryPrior(binary: BinaryResult): string {
  const servers = binaryServers(binary);
  const rows = GOALS.map((goal) => [
    goal.title,
    goal.prior.figure,
    goal.prior.was,
    ...servers.map((server) => {
      const { found } = outcomeOf(goal, binary, server);
      return found === null ? '—' : binaryGoalText(found, goal.unit);
    }),
  ]);
  const head = [
    'Question, 3,464,800 bytes',
    'tauri-bin-transfer-bench',
    'What that was',
    ...servers.map((server) => `Here, ${SHORT_NAMES[server]}`),
  ];
  return `${markdownTable({ head, rows }, [0, 1, 2])}\n\n${binaryConditions(binary)}`;
}
