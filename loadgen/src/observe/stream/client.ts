/**
 * One client of the live stream: it reads every byte and records the first violation.
 *
 * Invariants: ids grow by one from the `last_id` of the first frame. The digest covers the rows in the order of their
 * arrival. The client continues after a violation, so that the counts of a round are complete.
 */
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { LagRecorder } from './delivery-lag.ts';
import { type EventFrame, FrameReader } from './frames.ts';
import { PayloadDigest } from './payload-digest.ts';

export class StreamClient {
  /** Last id before the client's first row; NaN until it is connected. */
  after = Number.NaN;
  /** Newest id that the client has received. */
  last = Number.NaN;
  frames = 0;
  /** First violation that the client has found; `null` without one. */
  problem: string | null = null;
  /** How the stream ended; `null` before that. */
  ended: string | null = null;
  readonly #digest = new PayloadDigest();
  readonly #name: string;
  readonly #onChange: () => void;
  readonly #reader: FrameReader;
  #recorder: LagRecorder | null = null;
  #now = 0;
  #socket: Socket | null = null;

  /** `onChange` is called after every chunk of bytes, and when the stream ends. */
  constructor(name: string, onChange: () => void) {
    this.#name = name;
    this.#onChange = onChange;
    this.#reader = new FrameReader({
      event: (frame) => this.#event(frame),
      other: (data) => this.#other(data),
      unreadable: (text) => this.#fault(`sent what is no frame: ${text}`),
    });
  }

  connect(url: string): void {
    const request = get(`${url}/api/stream`, { agent: false, headers: { accept: 'text/event-stream' } });
    request.once('response', (response) => this.#read(response));
    request.on('error', (error) => this.#end(`the connection failed: ${error.message}`));
  }

  recordLag(recorder: LagRecorder): void {
    this.#recorder = recorder;
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** Returns the SHA-256 of all rows so far, in hex. */
  digest(): string {
    return this.#digest.hex();
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
      this.#now = this.#recorder === null ? 0 : Date.now();
      this.#reader.push(chunk);
      this.#recorder?.endOfChunk();
      this.#onChange();
    });
    response.once('close', () => this.#end('the stream ended'));
    response.on('error', () => undefined);
  }

  #event(frame: EventFrame): void {
    this.frames++;
    if (frame.id !== this.last + 1) this.#fault(`got id ${frame.id} after ${this.last}`);
    this.last = frame.id;
    this.#digest.add(frame.bytes, frame.from, frame.to);
    this.#recorder?.note(frame, this.#now);
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
    if (this.ended !== null) return;
    this.ended = `${this.#name}: ${how} after id ${this.last}`;
    this.#onChange();
  }
}
