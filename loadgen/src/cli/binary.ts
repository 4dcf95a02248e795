/** `pnpm bench:binary`: how binary data gets into a page. */
import { BINARY, runBinary } from '../binary/command.ts';
import { runSuite } from './run-command.ts';

process.exitCode = await runSuite(BINARY, runBinary);
