/** `pnpm bench:compare`: compares the two servers of this repository. */
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { compareCommand } from './compare-command.ts';

process.exitCode = await compareCommand(process.argv.slice(2), REAL_CONTENDERS);
