/** `pnpm bench:binary`: how binary data gets into a page. */
import { BINARY, runBinary } from '../binary/command.ts';
import { runSuite } from './run-suite.ts';

process.exitCode = await runSuite(BINARY, runBinary);
