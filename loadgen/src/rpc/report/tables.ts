/**
 * The result for typed calls as tables: the goals and the list of servers.
 *
 * Invariants: every verdict is computed from the result. A value that was not measured is shown as not measured.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { group, NOT_MEASURED, percent, ratioDigits } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import { type Goal, type GoalUnit, outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { RpcResult } from '../result.ts';
import { NONE } from './cells.ts';

const COLUMNS: readonly TargetName[] = ['rs', 'ts'];

export const RPC_TITLE = 'Typed calls';

export const RPC_READING =
  'Round trips per second of POST /api/rpc by the typed caller of client-ts in a process of its own, over one kept ' +
  'connection, with its checks on and identical strings unless a table says otherwise. After "±" is half of the 95 % ' +
  'interval of the mean; a sample is all calls of at least 20 ms. Library is Server-Timing: reading, checking and ' +
  'writing the call in the server, mean and standard deviation. Its share is of the mean round trip. ' +
  'Raw sends the same bytes over plain sockets and reads no value. Each pair has fresh processes, in the order A B B A.';

export function rpcServers({ servers }: RpcResult): readonly TargetName[] {
  return COLUMNS.filter((name) => servers[name] !== undefined);
}

export function rpcGoalTable(result: RpcResult): Table {
  const servers = rpcServers(result);
  return {
    head: ['Goal', 'native-calls', 'asked', ...servers.map((name) => SHORT_NAMES[name])],
    rows: GOALS.map((goal) => [
      goal.title,
      goal.prior.figure,
      askedText(goal),
      ...servers.map((name) => {
        const { found, share, isMet } = outcomeOf(goal, result, name);
        if (found === null) return NOT_MEASURED;
        const verdict = share === null || isMet === null ? 'stated' : verdictText(share, isMet);
        return `${rpcGoalText(found, goal.unit)}, ${verdict}`;
      }),
    ]),
  };
}

function askedText({ better, goal, unit }: Goal): string {
  return goal === null ? NONE : `${better === 'higher' ? '≥' : '≤'} ${rpcGoalText(goal, unit)}`;
}

function verdictText(share: number, isMet: boolean): string {
  return isMet ? 'met' : `missed by ${percent(Math.abs(1 - share))}`;
}

export function rpcGoalText(value: number, unit: GoalUnit): string {
  if (unit === 'times') return `${ratioDigits(value)} times`;
  return unit === 'ms' ? `${value.toFixed(1)} ms` : `${group(Math.round(value))} ${unit}`;
}
