/** `pnpm bench:codecs`: what formats and transports cost. The steps are in codecs/command.ts. */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { codecsCommand } from './codecs/command.ts';
import { REAL_CONTENDERS } from './contenders.ts';

letReadersLeave();
process.exitCode = await codecsCommand(process.argv.slice(2), REAL_CONTENDERS);
