/**
 * Handles `/bench/sink` and `/bench/echo`, which exist with `--bench` alone (rules BEN-01 to BEN-03).
 *
 * They are the baseline of measurements: HTTP without other work. Invariant: the sink holds at most one read in memory.
 */
import type { App } from '../app.ts';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import { readChunks } from './body.ts';
import type { Exchange } from './exchange.ts';
import { encodingOf } from './inflate.ts';
import { echo, sink } from './reply.ts';

/** `POST /bench/sink` (rule BEN-02). */
export async function postSink(_app: App, exchange: Exchange): Promise<void> {
  let length = 0;
  await receive(exchange, (bytes) => {
    length += bytes.length;
  });
  sink(exchange, length);
}

/** `POST /bench/echo` (rule BEN-03). */
export async function postEcho(_app: App, exchange: Exchange): Promise<void> {
  const pieces: Buffer[] = [];
  await receive(exchange, (bytes) => pieces.push(bytes));
  echo(exchange, pieces);
}

/** Calls `take` with the bytes of a body as they arrive (rule BEN-01). */
async function receive(exchange: Exchange, take: (bytes: Buffer) => void): Promise<void> {
  const { head } = exchange;
  if (encodingOf(head) !== 'identity') throw new Failure('unsupported_encoding');
  const limit = LIMITS.bench_body_bytes;
  const declared = head.contentLength;
  if (declared !== undefined && declared > limit) {
    throw new Failure('payload_too_large', { limit, actual: declared }, true);
  }
  let received = 0;
  await readChunks(exchange, (bytes, fail) => {
    received += bytes.length;
    if (received > limit) fail(new Failure('payload_too_large', { limit }, true));
    else take(bytes);
  });
}
