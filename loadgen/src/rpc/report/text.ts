/** The result for typed calls as sentences: missed goals, conditions and warnings. */

import { commitOf } from '../../report/conditions.ts';
import { formatDuration, percent } from '../../report/format.ts';
import { markdownText } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { RpcResult } from '../result.ts';
import { rpcServers } from './tables.ts';

/** Returns by how much each goal is missed, and why. */
function missedLines(rpc: RpcResult): string[] {
  return GOALS.flatMap((goal) => {
    const missed = rpcServers(rpc).flatMap((server) => {
      const { share, isMet } = outcomeOf(goal, rpc, server);
      return isMet === false ? [`${SHORT_NAMES[server]} by ${percent(Math.abs(1 - share!))}`] : [];
    });
    const why = goal.obstacle === undefined ? '' : `: ${goal.obstacle}`;
    return missed.length === 0 ? [] : [`Missed, ${missed.join(', ')}: ${goal.title}${why}.`];
  });
}

/** Returns the machine and the run as one line of Markdown. */
export function rpcConditions(rpc: RpcResult): string {
  return markdownText(`${conditions(rpc).join('; ')}.`);
}

export function rpcLines(rpc: RpcResult): string[] {
  return [
    ...missedLines(rpc),
    ...conditions(rpc),
    ...rpc.warnings.map(
      ({ message, advice }) => `Warning: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`,
    ),
  ];
}

function conditions(rpc: RpcResult): string[] {
  const { environment, seed, size } = rpc;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      `Node ${environment.node_version}, ${environment.rustc_version ?? 'no rustc'}`,
    `commit ${commitOf(rpc)}, ${rpc.created_at.slice(0, 10)}, in ${formatDuration(rpc.took_s)}, seed ${seed}, ` +
      `${size} run${size === 'quick' ? ', which makes no claim' : ''}`,
  ];
}
