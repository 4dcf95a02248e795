/** The live stream of the fake server, and its stream of invalidations, which has no throttle. */
import type { ServerResponse } from 'node:http';
import { BOOLEAN_COLUMNS } from '../src/verify/audit/expected-row.ts';

/** A row of the view `events_readable`. */
export type Row = Readonly<Record<string, string | number | null>>;

/** More than the 660 posts of a quick `round_trip` scenario, and less than the events of a quick `fan_out` scenario. */
const LATE = 2500;

export const EPOCH = '00000000-0000-4000-8000-000000000000';

export class FakeStream {
  readonly #clients = new Set<ServerResponse>();
  /** Clients of the stream of invalidations. */
  readonly #followers = new Set<ServerResponse>();
  readonly #fault: string;
  readonly #rowsAfter: (id: number) => readonly Row[];
  #isPaused = false;
  /** Id of the newest row. */
  newest = 0;

  constructor(fault: string, rowsAfter: (id: number) => readonly Row[]) {
    this.#fault = fault;
    this.#rowsAfter = rowsAfter;
  }

  /** Number of clients of both streams. */
  get clients(): number {
    return this.#clients.size + this.#followers.size;
  }

  connect(response: ServerResponse, query: URLSearchParams): void {
    const isFollower = query.get('mode') === 'invalidate';
    const all = isFollower ? this.#followers : this.#clients;
    all.add(response);
    response.once('close', () => all.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const timestamp = new Date().toISOString();
    const connected = { type: 'connected', timestamp, epoch: EPOCH, last_id: this.newest };
    if (!isFollower) response.write(`data: ${JSON.stringify(connected)}\n\n`);
    else if (this.#fault !== 'silent') response.write(`retry: 1000\n${invalidation(this.newest)}`);
  }

  /** Sends the rows up to this id that no client has. Without clients, it reads none. */
  publish(newest: number): void {
    if (newest === this.newest) return;
    const before = this.newest;
    this.newest = newest;
    if (this.#clients.size > 0) {
      const frames = this.#rowsAfter(before).map(
        (row) => `id: ${row.id}\ndata: {"type":"event","payload":${printRow(row)}}\n\n`,
      );
      for (const client of this.#clients) client.write(frames.join(''));
    }
    if (this.#isPaused || (this.#fault === 'drops-the-last' && this.newest === 30)) return;
    this.#notify(this.newest);
    if (before < LATE && this.newest >= LATE) this.#goWrong();
  }

  #notify(revision: number): void {
    for (const follower of this.#followers) follower.write(invalidation(revision));
  }

  #goWrong(): void {
    if (this.#fault === 'drops-a-client') [...this.#followers][0]?.end();
    if (this.#fault !== 'sends-an-older') return;
    // The pauses send it in a separate chunk, because only the last frame of a chunk counts.
    this.#isPaused = true;
    setTimeout(() => this.#notify(20), 20);
    setTimeout(() => {
      this.#isPaused = false;
      this.#notify(this.newest);
    }, 100);
  }
}

function invalidation(revision: number): string {
  return `event: invalidate\ndata: {"topic":"events","revision":"${revision}","epoch":"${EPOCH}"}\n\n`;
}

/** Returns a row as the stream and the reading routes print it. */
export function printRow({ metadata, ...row }: Row): string {
  const booleans = BOOLEAN_COLUMNS.map((column) => [column, row[column] === 1]);
  const members = { ...row, ...Object.fromEntries(booleans) };
  return `${JSON.stringify(members).slice(0, -1)},"metadata":${metadata}}`;
}
