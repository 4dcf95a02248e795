/** `pnpm bench:sync`: how clients stay in sync, and what that costs. */
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { STRATEGIES } from '../sync/strategies.ts';
import { syncCommand } from './sync-command.ts';

process.exitCode = await syncCommand(process.argv.slice(2), {
  contenders: REAL_CONTENDERS,
  strategies: STRATEGIES,
});
