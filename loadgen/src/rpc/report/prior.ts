/** The figures of native-calls next to those of this result: a table of docs/prior-benchmarks.md. */

import { markdownTable } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { RpcResult } from '../result.ts';
import { rpcGoalText, rpcServers } from './tables.ts';
import { rpcConditions } from './text.ts';

export function rpcPrior(rpc: RpcResult): string {
  const servers = rpcServers(rpc);
  const rows = GOALS.map((goal) => [
    goal.title,
    goal.prior.figure,
    goal.prior.was,
    ...servers.map((server) => {
      const { found } = outcomeOf(goal, rpc, server);
      return found === null ? '—' : rpcGoalText(found, goal.unit);
    }),
  ]);
  const head = [
    'Question',
    'native-calls',
    'What that was',
    ...servers.map((name) => `Here, ${SHORT_NAMES[name]}`),
  ];
  return `${markdownTable({ head, rows }, [0, 1, 2])}\n\n${rpcConditions(rpc)}`;
}
