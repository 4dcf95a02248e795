/**
 * One client of the live stream: it reads every byte and records the first violation.
 *
 * Invariants: ids grow by one from the `last_id` of the first frame. The digest covers the rows in the order of their
 * arrival. The client continues after a violation, so that the counts of a round are complete.
 */
import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createHistogram, latencyOf } from '../../analyse/histogram.ts';
import type { Latency } from '../../load/drivers/driver.ts';
import { FrameReader } from './frames.ts';

export class StreamClient {
  /** Last id before the client's first row; NaN until it is connected. */
  after = Number.NaN;
  last = Number.NaN;
  frames = 0;
  /** First violation that the client has found; `null` without one. */
  problem: string | null = null;
  /** How the stream ended; `null` before that. */
  ended: string | null = null;
  /** Records the delivery lag of the frames from now on. */
  recorder: LagRecorder | null = null;
  /** SHA-256 of all rows. They are JSON objects and need no separator. */
  readonly #digest = createHash('sha256');
  readonly #name: string;
  readonly #reader: FrameReader;
  #now = 0;
  #socket: Socket | null = null;

  constructor(name: string) {
    this.#name = name;
    this.#reader = new FrameReader({
      event: (id, row) => this.#event(id, row),
      other: (data) => this.#other(data),
      unreadable: (text) => this.#fault(`sent what is no frame: ${text}`),
    });
  }

  connect(url: string): void {
    const request = get(`${url}/api/stream`, { agent: false, headers: { accept: 'text/event-stream' } });
    request.once('response', (response) => this.#read(response));
    request.on('error', (error) => this.#end(`the connection failed: ${error.message}`));
  }

  close(): void {
    this.#socket?.destroy();
  }

  digest(): string {
    return this.#digest.copy().digest('hex');
  }

  #read(response: IncomingMessage): void {
    this.#socket = response.socket;
    if (response.statusCode !== 200) {
      this.#end(`GET /api/stream answered ${response.statusCode}`);
      response.resume();
      return;
    }
    response.on('data', (chunk: Buffer) => {
      // All frames of a chunk arrive together, so the clock is read once.
      this.#now = Date.now();
      this.#reader.push(chunk);
    });
    response.once('close', () => this.#end('the stream ended'));
    response.on('error', () => undefined);
  }

  #event(id: number, row: Buffer): void {
    this.frames++;
    if (id !== this.last + 1) this.#fault(`got id ${id} after ${this.last}`);
    this.last = id;
    this.#digest.update(row);
    this.recorder?.note(row, this.#now);
  }

  #other(data: string): void {
    let frame: { readonly type?: unknown; readonly last_id?: unknown };
    try {
      frame = JSON.parse(data) as typeof frame;
    } catch {
      this.#fault(`sent what is no JSON: ${data.slice(0, 200)}`);
      return;
    }
    if (frame.type === 'stats') return;
    if (frame.type !== 'connected' || !Number.isNaN(this.after) || typeof frame.last_id !== 'number') {
      this.#fault(`sent an unexpected frame: ${data.slice(0, 200)}`);
      return;
    }
    this.after = frame.last_id;
    this.last = frame.last_id;
  }

  #fault(what: string): void {
    this.problem ??= `${this.#name} ${what}`;
  }

  #end(how: string): void {
    this.ended ??= `${this.#name}: ${how} after id ${this.last}`;
  }
}

/** The first match is the column: quotes inside values are escaped, and metadata comes later in the row. */
const CREATED_AT = Buffer.from('"created_at":"');
const TIMESTAMP_CHARACTERS = '2026-02-18T18:06:41.231Z'.length;

/**
 * Records the delivery lag: the time from `created_at` of a row to the arrival of its frame.
 *
 * Both times are whole milliseconds of one clock. So a sample is exact to a millisecond, and the truncated fractions
 * cancel out on average. A clock that was set back gives 0 and no failure.
 */
export class LagRecorder {
  readonly #histogram = createHistogram();
  readonly #since: number;
  /** Timestamp of the last row. Rows of one transaction have the same one, which is parsed once. */
  #text = '';
  #created = Number.NaN;

  /** Rows that were stored before `since` (Unix milliseconds) do not count. */
  constructor(since: number) {
    this.#since = since;
  }

  note(row: Buffer, now: number): void {
    const at = row.indexOf(CREATED_AT);
    if (at < 0) return;
    const from = at + CREATED_AT.length;
    const text = row.toString('latin1', from, from + TIMESTAMP_CHARACTERS);
    if (text !== this.#text) {
      this.#text = text;
      this.#created = Date.parse(text);
    }
    if (this.#created >= this.#since) this.#histogram.recordValue(Math.max(0, now - this.#created) * 1000);
  }

  lag(): Latency | null {
    return latencyOf(this.#histogram);
  }
}
