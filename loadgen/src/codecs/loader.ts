/** The parent's side of the process that sends, and the requests that it sends. */
import { batchBody, eventBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { type Format, mediaTypeOf, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import type { TextEvent } from '@twin-ingest/testkit/codecs/json.ts';
import { Helper, type HelperOptions } from '../run/helper.ts';
import type { LoadOrders, Prepared, Request, Slice, Sliced } from './load-process.ts';
import type { Piped, PipeOrder } from './pipe.ts';

export class Loader {
  readonly #helper: Helper<LoadOrders>;

  constructor(options: Pick<HelperOptions, 'placement' | 'lifetime'>) {
    const program = new URL('./load-main.ts', import.meta.url);
    this.#helper = new Helper({ name: 'the process that sends', program, ...options });
  }

  async prepare(requests: Prepared): Promise<void> {
    await this.#helper.ask('prepare', requests);
  }

  slice(order: Slice): Promise<Sliced> {
    return this.#helper.ask('slice', order);
  }

  pipe(order: PipeOrder): Promise<Piped> {
    return this.#helper.ask('pipe', order);
  }

  close(): Promise<void> {
    return this.#helper.close();
  }
}

/** Returns the offsets of the events' ids in a body that contains the events in this order. */
export function idsIn(body: Buffer, events: readonly TextEvent[]): number[] {
  let from = 0;
  return events.map(({ event_id }) => {
    const at = body.indexOf(String(event_id), from, 'latin1');
    if (at < 0) throw new RangeError(`the body does not hold ${String(event_id)}`);
    from = at + 1;
    return at;
  });
}

/** Returns requests that post the events as batches of this size, or one by one. */
export function ingestRequests(
  format: RequestFormat,
  events: readonly TextEvent[],
  batch: number | 'single',
): Request[] {
  const size = batch === 'single' ? 1 : batch;
  const parts = Array.from({ length: Math.max(1, Math.floor(events.length / size)) }, (_, i) =>
    events.slice(i * size, (i + 1) * size),
  );
  return parts.map((part) => {
    const body = batch === 'single' ? eventBody(format, part[0]!) : batchBody(format, part);
    return {
      method: 'POST',
      path: batch === 'single' ? '/api/events' : '/api/events/batch',
      headers: { 'content-type': mediaTypeOf(format) },
      body,
      ids: idsIn(body, part),
      events: part.length,
      // The response to a single event has the same member.
      answer: 'received',
    };
  });
}

/** Returns a request with a body that its route does not read. */
export function rawRequest(route: 'sink' | 'echo', body: Uint8Array, events: number): Request {
  const answer = route === 'sink' ? 'bytes' : 'same';
  return { method: 'POST', path: `/bench/${route}`, headers: {}, body, ids: [], events, answer };
}

export function readRequest(format: Format, path: string, events: number): Request {
  const headers = { accept: mediaTypeOf(format) };
  return { method: 'GET', path, headers, body: new Uint8Array(), ids: [], events, answer: 'any' };
}
