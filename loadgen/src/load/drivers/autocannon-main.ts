/** Entry point of the closed-loop generator's process. */
import { sendByAutocannon } from './autocannon-process.ts';
import { serveGenerator } from './node-generator.ts';

serveGenerator(sendByAutocannon);
