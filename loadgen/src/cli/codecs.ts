/** `pnpm bench:codecs`: what formats and transports cost. */
import { CODECS, runCodecs } from '../codecs/command.ts';
import { runSuite } from './run-suite.ts';

process.exitCode = await runSuite(CODECS, runCodecs);
