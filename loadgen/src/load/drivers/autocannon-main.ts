/** The closed-loop generator's process: its program text, and nothing else. */
import { sendByAutocannon } from './autocannon-process.ts';
import { serveGenerator } from './generator-process.ts';

serveGenerator(sendByAutocannon);
