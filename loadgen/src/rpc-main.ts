/** `pnpm bench:rpc`: what a typed call costs. The steps are in rpc/command.ts. */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { REAL_CONTENDERS } from './contenders.ts';
import { rpcCommand } from './rpc/command.ts';

letReadersLeave();
process.exitCode = await rpcCommand(process.argv.slice(2), REAL_CONTENDERS);
