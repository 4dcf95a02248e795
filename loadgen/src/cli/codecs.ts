/** `pnpm bench:codecs`: what formats and transports cost. */

import { CODECS, runCodecs } from '../codecs/command.ts';
import { parseSuite } from '../plan/suite-options.ts';
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { runCommand } from './run-command.ts';

const argv = process.argv.slice(2);
process.exitCode = await runCommand('codecs', parseSuite(CODECS, argv), (options, lifetime) =>
  runCodecs(argv, options, REAL_CONTENDERS, lifetime),
);
