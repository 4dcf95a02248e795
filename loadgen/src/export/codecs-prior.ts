/** What procwire's benchmark asked, next to what this result says: the table of docs/prior-benchmarks.md. */
import type { CodecsResult } from '../codecs/codecs-result.ts';
import { outcomeOf } from '../codecs/goal.ts';
import { GOALS } from '../codecs/goals.ts';
import { codecsServers, goalText } from './codecs-tables.ts';
import { conditionsText } from './codecs-text.ts';
import { markdownTable } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';

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
