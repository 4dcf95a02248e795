/** Entry point of the closed-loop generator's process. */
import { sendByAutocannon } from './autocannon-process.ts';
import { serveGenerator } from './generator-process.ts';

serveGenerator(sendByAutocannon);
