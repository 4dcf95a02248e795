/** The live stream of the fake server, and its stream of invalidations. */
import type { ServerResponse } from 'node:http';
import { type FakeRow, printRow } from './fake-store.ts';

/** Number of rows that the stream reports before a client connected, although there were none. */
const HELD_BACK = 100;
/** More than the 660 posts of a quick `round_trip` scenario, and less than the events of a quick `fan_out` scenario. */
const LATE = 2500;

export const EPOCH = '00000000-0000-4000-8000-000000000000';

interface Invalidated {
  readonly response: ServerResponse;
  readonly interval_ms: number;
  isWaiting: boolean;
  notified: number;
}

export class FakeStream {
  readonly #clients = new Set<ServerResponse>();
  readonly #invalidated = new Set<Invalidated>();
  readonly #wronged = new Set<Invalidated>();
  readonly #fault: string;
  #newest = 0;

  constructor(fault: string) {
    this.#fault = fault;
  }

  /** Id of the newest row. */
  get newest(): number {
    return this.#newest;
  }
  /** Number of clients of both streams. */
  get clients(): number {
    return this.#clients.size + this.#invalidated.size;
  }

  connect(response: ServerResponse, query: URLSearchParams): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    if (query.get('mode') === 'invalidate') {
      this.#invalidate(response, Number(query.get('min_interval_ms') ?? 0));
      return;
    }
    const connected = {
      type: 'connected',
      timestamp: new Date().toISOString(),
      epoch: EPOCH,
      last_id: this.#fault === 'stream-begins-late' ? this.#newest + HELD_BACK : this.#newest,
    };
    response.write(`data: ${JSON.stringify(connected)}\n\n`);
    this.#clients.add(response);
    response.once('close', () => this.#clients.delete(response));
  }

  publish(rows: readonly FakeRow[]): void {
    if (rows.length === 0) return;
    this.#newest = rows.at(-1)!.id as number;
    if (this.#clients.size > 0) {
      const isLate = this.#fault === 'stream-begins-late';
      const sent = rows.filter((row) => !isLate || (row.id as number) > HELD_BACK);
      const frames = sent.map(
        (row) => `id: ${row.id}\ndata: {"type":"event","payload":${printRow(row)}}\n\n`,
      );
      for (const client of this.#clients) client.write(frames.join(''));
    }
    if (this.#fault === 'drops-a-client' && this.#newest >= LATE) [...this.#invalidated][0]?.response.end();
    for (const client of this.#invalidated) this.#notify(client);
  }

  #invalidate(response: ServerResponse, interval_ms: number): void {
    const client = { response, interval_ms, isWaiting: false, notified: this.#newest };
    this.#invalidated.add(client);
    response.once('close', () => this.#invalidated.delete(client));
    if (this.#fault !== 'silent') response.write(`retry: 1000\n${invalidation(this.#newest)}`);
  }

  #notify(client: Invalidated): void {
    if (client.isWaiting || client.notified >= this.#newest) return;
    if (this.#fault === 'drops-the-last' && this.#newest === 30) return;
    client.notified = this.#newest;
    client.response.write(invalidation(this.#newest));
    if (this.#fault === 'sends-an-older' && this.#newest >= LATE && !this.#wronged.has(client)) {
      this.#wronged.add(client);
      // The delay sends it in a separate chunk, because only the last frame of a chunk counts.
      setTimeout(() => client.response.write(invalidation(20)), 20);
    }
    if (client.interval_ms === 0) return;
    client.isWaiting = true;
    setTimeout(() => {
      client.isWaiting = false;
      this.#notify(client);
    }, client.interval_ms);
  }
}

function invalidation(revision: number): string {
  return `event: invalidate\ndata: {"topic":"events","revision":"${revision}","epoch":"${EPOCH}"}\n\n`;
}
