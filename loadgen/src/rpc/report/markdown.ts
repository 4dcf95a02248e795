/** The result for typed calls as Markdown: docs/suites/rpc.md. */

import { bullets, markdownTable, markdownText } from '../../report/markdown-table.ts';
import type { RpcResult } from '../result.ts';
import { rpcTables } from './questions.ts';
import { RPC_READING, RPC_TITLE, rpcGoalTable } from './tables.ts';
import { rpcLines } from './text.ts';

export function rpcDocument(rpc: RpcResult): string {
  return `${[
    `# ${RPC_TITLE}`,
    markdownText(RPC_READING),
    markdownTable(rpcGoalTable(rpc), [0]),
    bullets(rpcLines(rpc).map(markdownText)),
    ...rpcTables(rpc).flatMap(({ title, table }) => [`## ${markdownText(title)}`, markdownTable(table)]),
    'Every row, with all percentiles, bytes and CPU time: `pnpm bench:rpc --tables`.',
  ].join('\n\n')}\n`;
}
