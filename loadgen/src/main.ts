/**
 * `pnpm bench:compare`: compares the two servers of this repository. The story is in compare.ts.
 */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { compare } from './compare.ts';
import { REAL_CONTENDERS } from './contenders.ts';

letReadersLeave();
process.exitCode = await compare(process.argv.slice(2), REAL_CONTENDERS);
