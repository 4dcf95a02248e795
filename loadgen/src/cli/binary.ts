/** `pnpm bench:binary`: how binary data gets into a page. */

import { BINARY, runBinary } from '../binary/command.ts';
import { parseSuite } from '../plan/suite-options.ts';
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { runCommand } from './run-command.ts';

const argv = process.argv.slice(2);
process.exitCode = await runCommand('binary', parseSuite(BINARY, argv), (options, lifetime) =>
  runBinary(argv, options, REAL_CONTENDERS, lifetime),
);
