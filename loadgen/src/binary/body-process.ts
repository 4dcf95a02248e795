/**
 * The process that moves large bodies through a server, one after the other, on one connection.
 *
 * Invariants: the first body of an order is compared byte by byte and does not count. All other bodies must have the
 * same length.
 */

import { Exchange } from '../codecs/exchange.ts';
import { requestBytes } from '../codecs/load-process.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/serve.ts';
import { blobBytes } from './blob-bytes.ts';

export type BodyRoute = 'echo' | 'blob';

/** `first`: compares one body, and keeps the connection. `run`: moves bodies for `seconds`. */
export type BodyOrder =
  | { readonly kind: 'first'; readonly port: number; readonly route: BodyRoute; readonly bytes: number }
  | { readonly kind: 'run'; readonly seconds: number };

export type BodyReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'moved'; readonly bodies: number; readonly duration_ms: number };

interface Ready {
  readonly exchange: Exchange;
  readonly request: Buffer;
  readonly bytes: number;
}

export function serveBodies(): void {
  let ready: Ready | undefined;
  serve<BodyOrder, BodyReply>(async (order) => {
    if (order.kind === 'run') return run(ready!, order.seconds);
    ready?.exchange.close();
    ready = await first(order);
    return { kind: 'ready' };
  });
}

async function first({ port, route, bytes }: Extract<BodyOrder, { kind: 'first' }>): Promise<Ready> {
  const expected = blobBytes(bytes);
  const common = { headers: {}, ids: [], events: 0, answer: 'any' } as const;
  const request = requestBytes(
    route === 'echo'
      ? { ...common, method: 'POST', path: '/bench/echo', body: expected }
      : { ...common, method: 'GET', path: `/bench/blob?size=${bytes}`, body: new Uint8Array() },
  );
  const exchange = new Exchange({ port });
  await exchange.opened();
  const { status, body } = await exchange.send(request, true);
  if (status !== 200 || !body.equals(expected)) throw new Error(`/bench/${route}: ${status}, other bytes`);
  return { exchange, request, bytes };
}

async function run({ exchange, request, bytes }: Ready, seconds: number): Promise<BodyReply> {
  const started_ms = nowMs();
  let bodies = 0;
  while (nowMs() - started_ms < seconds * 1000) {
    const { status, bytes: length } = await exchange.send(request, false);
    if (status !== 200 || length !== bytes) throw new Error(`status ${status}, ${length} bytes`);
    bodies++;
  }
  return { kind: 'moved', bodies, duration_ms: nowMs() - started_ms };
}
