/**
 * A client of the invalidation stream with small cost: a socket, and a search in its bytes.
 *
 * Invariants: only the last revision of `events` in a chunk counts, since a newer one replaces an older one. A client
 * that never reads leaves everything in the buffers of the kernel and the server.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { nowMs } from '../observe/clock.ts';
import type { State } from './journal.ts';

const NEEDLE = '"topic":"events","revision":"';
/** Length of the largest revision. */
const MOST_DIGITS = 20;

export class InvalidationClient {
  /** The revisions that were received, and when. */
  heard: State[] = [];
  /** The reason why the stream ended; `null` while it is open. */
  ended: string | null = null;
  #rest = Buffer.alloc(0);

  constructor(url: string, isReading: boolean) {
    const { port, host, pathname, search } = new URL(url);
    const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
    once(socket, 'close')
      .then(() => 'the server closed the stream', String)
      .then((how) => {
        this.ended = how;
      });
    if (isReading) socket.on('data', (chunk) => this.#read(chunk));
    else socket.pause();
    const head = `Host: ${host}\r\nAccept: text/event-stream\r\n`;
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
  }

  /** The newest revision that was received; -1 before the first. */
  get newest(): number {
    return this.heard.at(-1)?.revision ?? -1;
  }

  #read(chunk: Buffer): void {
    const at_ms = nowMs();
    const bytes = Buffer.concat([this.#rest, chunk]);
    // A chunk can end inside a frame. The bytes after the last complete line are kept for the next chunk.
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = bytes.subarray(end);
    const revision = lastRevision(bytes.subarray(0, end));
    if (revision !== null) this.heard.push({ revision, at_ms });
  }
}

/** Returns the last revision of `events` in these frames; `null` if there is none. */
export function lastRevision(frames: Buffer): number | null {
  const at = frames.lastIndexOf(NEEDLE);
  if (at < 0) return null;
  const digits = at + NEEDLE.length;
  return Number.parseInt(frames.toString('latin1', digits, digits + MOST_DIGITS), 10);
}
