/** The figures of tauri-bin-transfer-bench next to those of this result: a table of docs/prior-benchmarks.md. */

import { markdownTable } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { BinaryResult } from '../result.ts';
import { binaryGoalText, binaryServers } from './tables.ts';
import { binaryConditions } from './text.ts';

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
