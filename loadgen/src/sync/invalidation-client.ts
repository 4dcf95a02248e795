/**
 * A client of the invalidation stream with small cost: a socket, and a search in its bytes.
 *
 * Invariants: only the last revision of `events` in a chunk counts, since a newer one replaces an older one. A client
 * that reads slowly or never leaves the rest in the buffers of the kernel and the server.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { nowMs } from '../observe/clock.ts';
import type { State } from './journal.ts';

const SLOW_BYTES = 1024;
const SLOW_EVERY_MS = 1000;
const NEEDLE = '"topic":"events","revision":"';
/** Length of the largest revision. */
const MOST_DIGITS = 20;

/** `reads`: reads everything; `slow`: reads a thousand bytes a second, until `letGo`; `stalled`: never reads. */
export type Mode = 'reads' | 'slow' | 'stalled';

export class InvalidationClient {
  /** The revisions that were received, and when. */
  heard: State[] = [];
  /** The reason why the stream ended; `null` while it is open. */
  ended: string | null = null;
  readonly #socket: Socket;
  #isSlow: boolean;
  #rest = Buffer.alloc(0);

  constructor(url: string, mode: Mode) {
    const { port, host, pathname, search } = new URL(url);
    this.#isSlow = mode === 'slow';
    const callback = (count: number, buffer: Uint8Array) => {
      this.#read(Buffer.from(buffer.subarray(0, count)));
      if (this.#isSlow) setTimeout(() => this.#socket.resume(), SLOW_EVERY_MS);
      return !this.#isSlow;
    };
    const onread = this.#isSlow ? { onread: { buffer: Buffer.alloc(SLOW_BYTES), callback } } : {};
    this.#socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true, ...onread });
    once(this.#socket, 'close')
      .then(() => 'the server closed the stream', String)
      .then((how) => {
        this.ended = how;
      });
    if (mode === 'reads') this.#socket.on('data', (chunk) => this.#read(chunk));
    if (mode === 'stalled') this.#socket.pause();
    const head = `Host: ${host}\r\nAccept: text/event-stream\r\n`;
    this.#socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
  }

  /** The newest revision that was received; -1 before the first. */
  get newest(): number {
    return this.heard.at(-1)?.revision ?? -1;
  }

  /** Reads without a limit from here on. */
  letGo(): void {
    this.#isSlow = false;
    this.#socket.resume();
  }

  /** Returns the bytes that the kernel holds for this client; `null` if it does not report them. */
  async unread(): Promise<number | null> {
    const table = await readFile('/proc/net/tcp', 'utf8').catch(() => null);
    const { remotePort, localPort } = this.#socket;
    return table === null ? null : unreadIn(table, remotePort!, localPort!);
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

/** A line has two addresses, the state, and both queues as `sending:receiving`. All numbers are hexadecimal. */
const LINE = /^ *\d+: \w+:(\w+) \w+:(\w+) \w+ (\w+):(\w+) /gm;

/**
 * Returns the bytes between two ports in a table of proc_net_tcp(5). They are those that `from` sent and that are not
 * acknowledged, and those that `to` received and did not read.
 */
export function unreadIn(table: string, from: number, to: number): number {
  let bytes = 0;
  for (const [, local, remote, sending, receiving] of table.matchAll(LINE)) {
    const ports = [local, remote].map((text) => Number.parseInt(text!, 16)).join();
    if (ports === `${from},${to}`) bytes += Number.parseInt(sending!, 16);
    if (ports === `${to},${from}`) bytes += Number.parseInt(receiving!, 16);
  }
  return bytes;
}
