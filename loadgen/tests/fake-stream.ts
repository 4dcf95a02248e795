/** The live stream of the fake server, and its stream of invalidations. */
import type { ServerResponse } from 'node:http';

/** A row of the view `events_readable`. */
export type Row = Readonly<Record<string, string | number | null>>;

/** More than the 660 posts of a quick `round_trip` scenario, and less than the events of a quick `fan_out` scenario. */
const LATE = 2500;

export const EPOCH = '00000000-0000-4000-8000-000000000000';

interface Follower {
  readonly response: ServerResponse;
  readonly interval_ms: number;
  isWaiting: boolean;
  /** Whether it was sent an older revision already, by a fault. */
  isWronged: boolean;
  notified: number;
}

export class FakeStream {
  readonly #clients = new Set<ServerResponse>();
  readonly #followers = new Set<Follower>();
  readonly #fault: string;
  /** Id of the newest row. */
  newest = 0;

  constructor(fault: string) {
    this.#fault = fault;
  }

  /** Number of clients of both streams. */
  get clients(): number {
    return this.#clients.size + this.#followers.size;
  }

  connect(response: ServerResponse, query: URLSearchParams): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    if (query.get('mode') === 'invalidate') {
      this.#follow(response, Number(query.get('min_interval_ms') ?? 0));
      return;
    }
    const timestamp = new Date().toISOString();
    const connected = { type: 'connected', timestamp, epoch: EPOCH, last_id: this.newest };
    response.write(`data: ${JSON.stringify(connected)}\n\n`);
    this.#clients.add(response);
    response.once('close', () => this.#clients.delete(response));
  }

  publish(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.newest = rows.at(-1)!.id as number;
    if (this.#clients.size > 0) {
      const frames = rows.map(
        (row) => `id: ${row.id}\ndata: {"type":"event","payload":${printRow(row)}}\n\n`,
      );
      for (const client of this.#clients) client.write(frames.join(''));
    }
    if (this.#fault === 'drops-a-client' && this.newest >= LATE) [...this.#followers][0]?.response.end();
    for (const follower of this.#followers) this.#notify(follower);
  }

  #follow(response: ServerResponse, interval_ms: number): void {
    const follower = { response, interval_ms, isWaiting: false, isWronged: false, notified: this.newest };
    this.#followers.add(follower);
    response.once('close', () => this.#followers.delete(follower));
    if (this.#fault !== 'silent') response.write(`retry: 1000\n${invalidation(this.newest)}`);
  }

  #notify(follower: Follower): void {
    const { response, interval_ms } = follower;
    if (follower.isWaiting || follower.notified >= this.newest) return;
    if (this.#fault === 'drops-the-last' && this.newest === 30) return;
    follower.notified = this.newest;
    response.write(invalidation(this.newest));
    if (this.#fault === 'sends-an-older' && this.newest >= LATE && !follower.isWronged) {
      follower.isWronged = true;
      // The delay sends it in a separate chunk, because only the last frame of a chunk counts.
      setTimeout(() => response.write(invalidation(20)), 20);
    }
    if (interval_ms === 0) return;
    follower.isWaiting = true;
    setTimeout(() => {
      follower.isWaiting = false;
      this.#notify(follower);
    }, interval_ms);
  }
}

function invalidation(revision: number): string {
  return `event: invalidate\ndata: {"topic":"events","revision":"${revision}","epoch":"${EPOCH}"}\n\n`;
}

/** Returns a row as the stream and the reading routes print it. */
export function printRow({ metadata, ...row }: Row): string {
  const members = { ...row, payload_truncated: row.payload_truncated === 1 };
  return `${JSON.stringify(members).slice(0, -1)},"metadata":${metadata}}`;
}
