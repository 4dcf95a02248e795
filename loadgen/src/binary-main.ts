/** `pnpm bench:binary`: how binary data gets into a page, and what that costs other clients. Steps: binary/command.ts. */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { binaryCommand } from './binary/command.ts';
import { REAL_CONTENDERS } from './contenders.ts';

letReadersLeave();
process.exitCode = await binaryCommand(process.argv.slice(2), REAL_CONTENDERS);
