/**
 * Runs in the thread for large bodies: reads the calls of each, and answers them unless a method must run.
 *
 * The other half is `worker`. Only server-ts has this file: in Rust any thread can do this work.
 */
import type { MessagePort } from 'node:worker_threads';
import { readCalls } from './index.ts';
import { knownResponses, writeResponses } from './responses.ts';
import type { Job, JobResult } from './worker.ts';

/** Runs the thread: answers jobs one after the other. */
export function runCallReader(port: MessagePort): void {
  port.on('message', (job: Job) => {
    const result = resultOf(job);
    const memory = result.kind === 'calls' ? result.body : result.bytes;
    port.postMessage(result, memory === undefined ? [] : [memory.buffer]);
    // Memory that is not sent back is freed at once, since the collector may keep it for long.
    if (result.kind === 'answer') job.body.buffer.transfer(0);
  });
}

function resultOf({ body, format, answer, reading }: Job): JobResult {
  const start = performance.now();
  const calls = readCalls(Buffer.from(body.buffer, body.byteOffset, body.length), format, reading);
  const responses = knownResponses(calls);
  if (responses === undefined) return { kind: 'calls', calls, body, ms: performance.now() - start };
  const written = writeResponses(responses, calls.isBatch, answer);
  const bytes = typeof written === 'string' ? ownBytes(written) : written;
  return { kind: 'answer', bytes, ms: performance.now() - start };
}

/** Returns bytes in memory of their own, which can be transferred. */
function ownBytes(text: string): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
