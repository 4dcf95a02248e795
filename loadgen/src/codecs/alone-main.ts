/**
 * Measures codecs in JavaScript without a server. Has the same flags and the same lines on stdout as
 * `server-rs/examples/codecs`.
 */
import { measureAlone } from './alone-process.ts';

await measureAlone(process.argv.slice(2));
