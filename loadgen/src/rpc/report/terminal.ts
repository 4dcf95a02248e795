/** The output of `pnpm bench:rpc`: a short table for each question, the goals, and all warnings. */

import { type Shown, tableText } from '../../codecs/report/terminal.ts';
import { type RpcResult, SCENARIO_NAMES } from '../result.ts';
import { rpcTables } from './questions.ts';
import { rpcRows } from './rows.ts';
import { rpcGoalTable } from './tables.ts';
import { rpcLines } from './text.ts';

/** Returns the output. The tables of all rows have their natural width. */
export function rpcTerminal(rpc: RpcResult, { columns, tables }: Shown): string {
  const whole = SCENARIO_NAMES.flatMap((name) => {
    const table = tables ? rpcRows(rpc, name) : null;
    return table === null ? [] : [name, tableText(table)];
  });
  const short = rpcTables(rpc).flatMap(({ title, table }) => [title, tableText(table, columns)]);
  const goals = tableText(rpcGoalTable(rpc), columns);
  return `${[...whole, ...short, goals, ...rpcLines(rpc)].join('\n')}\n`;
}
