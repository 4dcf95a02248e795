/** Codecs alone in JavaScript, as `server-rs/examples/codecs` in Rust: the same flags, the same lines on stdout. */
import { measureAlone } from './alone-process.ts';

await measureAlone(process.argv.slice(2));
