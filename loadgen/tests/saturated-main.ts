/**
 * The autocannon generator with two threads that never rest: a generator that uses a whole core at least,
 * whatever the server and the machine's other load.
 */
import { isMainThread, Worker } from 'node:worker_threads';
import { sendByAutocannon } from '../src/drivers/autocannon-process.ts';
import { serveGenerator } from '../src/drivers/generator-process.ts';

/** An event loop that always has something to do neither sleeps nor keeps anything waiting for long. */
function spin(): void {
  setImmediate(spin);
}

spin();
if (isMainThread) {
  new Worker(import.meta.filename);
  serveGenerator(sendByAutocannon);
}
