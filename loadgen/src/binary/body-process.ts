/**
 * The process that moves large bodies through a server, one after the other, on one connection.
 *
 * Invariants: the first body of an order is compared byte by byte and does not count. All other bodies must have the
 * same length.
 */

import { Exchange } from '../codecs/exchange.ts';
import { requestBytes } from '../codecs/load-process.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/helper.ts';
import { blobBytes } from './blob-bytes.ts';

export type BodyRoute = 'echo' | 'blob';

export type BodyOrders = Readonly<{
  /** Compares one body, and keeps the connection. */
  first(port: number, route: BodyRoute, bytes: number): Promise<void>;
  /** Moves bodies for `seconds`. */
  run(seconds: number): Promise<Moved>;
}>;

type Moved = Readonly<Record<'bodies' | 'duration_ms', number>>;

interface Ready {
  readonly exchange: Exchange;
  readonly request: Buffer;
  readonly bytes: number;
}

export function serveBodies(): void {
  let ready: Ready | undefined;
  const orders: BodyOrders = {
    async first(port, route, bytes) {
      ready?.exchange.close();
      ready = await first(port, route, bytes);
    },
    run: (seconds) => run(ready!, seconds),
  };
  serve(orders);
}

async function first(port: number, route: BodyRoute, bytes: number): Promise<Ready> {
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

async function run({ exchange, request, bytes }: Ready, seconds: number): Promise<Moved> {
  const started_ms = nowMs();
  let bodies = 0;
  while (nowMs() - started_ms < seconds * 1000) {
    const { status, bytes: length } = await exchange.send(request, false);
    if (status !== 200 || length !== bytes) throw new Error(`status ${status}, ${length} bytes`);
    bodies++;
  }
  return { bodies, duration_ms: nowMs() - started_ms };
}
