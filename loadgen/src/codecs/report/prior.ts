/** The figures of procwire's benchmark next to those of this result: the table of docs/prior-benchmarks.md. */

import { markdownTable } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { CodecsResult } from '../result.ts';
import { codecsServers, goalText } from './tables.ts';
import { conditionsText } from './text.ts';

export function priorSection(codecs: CodecsResult): string {
  const servers = codecsServers(codecs);
  const rows = GOALS.flatMap((goal) => {
    if (goal.prior === null) return [];
    const here = servers.map((server) => {
      const { found } = outcomeOf(goal, codecs, server);
      return found === null ? '—' : goalText(found, goal.unit);
    });
    return [[goal.title, goal.prior.figure, goal.prior.was, ...here]];
  });
  const head = [
    'Question',
    'procwire',
    'What that was',
    ...servers.map((server) => `Here, ${SHORT_NAMES[server]}`),
  ];
  return `${markdownTable({ head, rows }, [0, 1, 2])}\n\n${conditionsText(codecs)}`;
}
