/**
 * A client of the invalidation stream with small cost: a socket, and a search in its bytes.
 *
 * Invariants: only the last revision of `events` in a chunk counts, since a newer one replaces an older one. A stalled
 * client reads no byte from its socket.
 */
import { connect, type Socket } from 'node:net';
import { nowMs } from '../observe/clock.ts';

/** `reads`: reads everything; `stalled`: never reads. */
export type Manner = 'reads' | 'stalled';

const NEEDLE = Buffer.from('"topic":"events","revision":"');
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;

export class RawClient {
  /** The times in milliseconds at which the revisions of `heard` were received. */
  readonly heard_ms: number[] = [];
  readonly heard: number[] = [];
  readonly #socket: Socket;
  readonly #onHeard: () => void;
  #rest: Buffer | null = null;
  #ended: string | null = null;

  /** `onHeard` is called after every chunk that reported `events`, and when the stream ends. */
  constructor(url: string, path: string, manner: Manner, onHeard: () => void) {
    const { hostname, port, host } = new URL(url);
    this.#onHeard = onHeard;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('error', (error) => this.#end(error.message));
    this.#socket.on('close', () => this.#end('the server closed the stream'));
    if (manner === 'reads') this.#socket.on('data', (chunk) => this.#read(chunk));
    else this.#socket.pause();
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  }

  /** The newest revision that was received; -1 before the first. */
  get newest(): number {
    return this.heard.at(-1) ?? -1;
  }
  /** The reason why the stream ended; `null` while it is open. */
  get ended(): string | null {
    return this.#ended;
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #read(chunk: Buffer): void {
    const now = nowMs();
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    // A chunk can end inside a frame. The bytes after the last complete line are kept for the next chunk.
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = end === bytes.length ? null : bytes.subarray(end);
    const revision = lastRevision(bytes, end);
    if (revision === null) return;
    this.heard_ms.push(now);
    this.heard.push(revision);
    this.#onHeard();
  }

  #end(how: string): void {
    this.#ended ??= how;
    this.#onHeard();
  }
}

/** Returns the last revision of `events` before `end`; `null` if there is none. */
export function lastRevision(bytes: Buffer, end: number): number | null {
  const at = bytes.subarray(0, end).lastIndexOf(NEEDLE);
  if (at < 0) return null;
  let revision = 0;
  for (let i = at + NEEDLE.length; bytes[i]! >= DIGIT_ZERO && bytes[i]! <= DIGIT_NINE; i++)
    revision = revision * 10 + bytes[i]! - DIGIT_ZERO;
  return revision;
}
