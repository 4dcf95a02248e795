/** `pnpm bench:sync`: what keeping in step costs and takes. The story is in sync/command.ts. */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { REAL_CONTENDERS } from './contenders.ts';
import { syncCommand } from './sync/command.ts';
import { STRATEGIES } from './sync/strategies/table.ts';

letReadersLeave();
process.exitCode = await syncCommand(process.argv.slice(2), {
  contenders: REAL_CONTENDERS,
  strategies: STRATEGIES,
});
