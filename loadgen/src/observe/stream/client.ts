/**
 * One client of the live stream: it splits the bytes into frames, and digests every row in the order of arrival.
 *
 * Invariants: an event costs one search in the bytes and no JSON parsing. Ten clients of a busy server receive a
 * hundred thousand frames a second in one thread. Ids grow by one from the `last_id` of the first frame. The client
 * continues after a violation, so that the counts of a round are complete.
 */
import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createHistogram, latencyOf, record } from '../../analyse/histogram.ts';

/** The beginning of an event's frame, which is in its first bytes: an id has at most 16 digits. */
const EVENT = /^id: (\d{1,16})\ndata: \{"type":"event","payload":/;
const EVENT_BYTES = 64;
/** The first frame (rule STR-01). */
const CONNECTED = /^data: \{"type":"connected",.*"last_id":(\d+)\}$/;
const BLANK_LINE = Buffer.from('\n\n');
const SHOWN_CHARACTERS = 200;

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
  recorder: ReturnType<typeof createLagRecorder> | null = null;
  /** SHA-256 of all rows. They are JSON objects and need no separator. */
  readonly #digest = createHash('sha256');
  #rest: Buffer | null = null;
  #socket: Socket | null = null;

  connect(url: string): void {
    const request = get(`${url}/api/stream`, { agent: false, headers: { accept: 'text/event-stream' } });
    request.once('response', (response) => this.#read(response));
    request.on('error', (error) => this.#end(`the connection failed: ${error.message}`));
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** Returns the digest of all rows in hex, once. */
  digest(): string {
    return this.#digest.digest('hex');
  }

  /** Handles bytes that arrived at `now` (Unix milliseconds). */
  push(chunk: Buffer, now: number): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      // A frame contains no blank line: only metadata could contain one, and rule MET-03 forbids it.
      const end = bytes.indexOf(BLANK_LINE, at);
      if (end < 0) break;
      this.#frame(bytes.subarray(at, end), now);
      at = end + BLANK_LINE.length;
    }
    this.#rest = at === bytes.length ? null : bytes.subarray(at);
  }

  #read(response: IncomingMessage): void {
    this.#socket = response.socket;
    if (response.statusCode !== 200) {
      this.#end(`GET /api/stream answered ${response.statusCode}`);
      response.resume();
      return;
    }
    // All frames of a chunk arrive together, so the clock is read once.
    response.on('data', (chunk: Buffer) => this.push(chunk, Date.now()));
    response.once('close', () => this.#end('the stream ended'));
    response.on('error', () => undefined);
  }

  #frame(frame: Buffer, now: number): void {
    const event = EVENT.exec(frame.toString('latin1', 0, EVENT_BYTES));
    if (event === null) {
      this.#other(frame.toString());
      return;
    }
    // The last byte closes the object that contains the row.
    const row = frame.subarray(event[0].length, -1);
    const id = Number(event[1]);
    if (id !== this.last + 1) this.problem ??= `got id ${id} after ${this.last}`;
    this.frames++;
    this.last = id;
    this.#digest.update(row);
    this.recorder?.note(row, now);
  }

  #other(text: string): void {
    if (text.startsWith(':') || text.startsWith('data: {"type":"stats"')) return;
    const connected = CONNECTED.exec(text);
    if (connected === null || !Number.isNaN(this.after))
      this.problem ??= `sent an unexpected frame: ${text.slice(0, SHOWN_CHARACTERS)}`;
    else this.after = this.last = Number(connected[1]);
  }

  #end(how: string): void {
    this.ended ??= `${how} after id ${this.last}`;
  }
}

/** The first match is the column: quotes inside values are escaped, and metadata comes later in the row. */
const CREATED_AT = Buffer.from('"created_at":"');
const TIMESTAMP_CHARACTERS = '2026-02-18T18:06:41.231Z'.length;

/**
 * Records the delivery lag: the time from `created_at` of a row to the arrival of its frame.
 *
 * Both times are whole milliseconds of one clock. So a sample is exact to a millisecond, and the truncated fractions
 * cancel out on average. A clock that was set back gives 0 and no failure. Rows that were stored before `since` (Unix
 * milliseconds) do not count.
 */
export function createLagRecorder(since: number) {
  const histogram = createHistogram();
  return {
    note(row: Buffer, now: number): void {
      const from = row.indexOf(CREATED_AT) + CREATED_AT.length;
      const created = Date.parse(row.toString('latin1', from, from + TIMESTAMP_CHARACTERS));
      if (created >= since) record(histogram, now - created);
    },
    lag: () => latencyOf(histogram),
  };
}
