/** What `pnpm bench:rpc` prints: a short table for each question, the goals, and every warning. */
import type { RpcResult } from '../rpc/rpc-result.ts';
import { tableText } from './codecs-terminal.ts';
import { rpcGoalTable, rpcTables } from './rpc-tables.ts';
import { rpcLines } from './rpc-text.ts';

/** `columns`: characters of a line. */
export function rpcTerminal(rpc: RpcResult, columns: number): string {
  const tables = rpcTables(rpc).flatMap(({ title, table }) => [title, tableText(table, columns)]);
  return `${[...tables, tableText(rpcGoalTable(rpc), columns), ...rpcLines(rpc)].join('\n')}\n`;
}
