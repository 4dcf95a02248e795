/**
 * A client of the invalidation stream with small cost: a socket, and a search in its bytes.
 *
 * Invariants: only the last revision of `events` in a chunk counts, since a newer one replaces an older one. A client
 * that reads slowly or never leaves the rest in the buffers of the kernel and the server.
 */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { nowMs } from '../observe/clock.ts';

const SLOW_BYTES = 1024;
const SLOW_EVERY_MS = 1000;
const NEEDLE = '"topic":"events","revision":"';
/** Length of the largest revision. */
const MOST_DIGITS = 20;

export class InvalidationClient {
  /** The times in milliseconds at which the revisions of `heard` were received. */
  readonly heard_ms: number[] = [];
  readonly heard: number[] = [];
  /** Number of bytes that were read. */
  bytes = 0;
  /** The reason why the stream ended; `null` while it is open. */
  ended: string | null = null;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout | undefined;
  #isFree = false;
  #rest: Buffer | null = null;

  /** `reads`: reads everything; `slow`: reads a thousand bytes a second, until `letGo`; `stalled`: never reads. */
  constructor(url: string, path: string, manner: 'reads' | 'slow' | 'stalled') {
    const { hostname, port, host } = new URL(url);
    const onread = { buffer: Buffer.alloc(SLOW_BYTES), callback: this.#readSlowly };
    const slowly = manner === 'slow' ? { onread } : {};
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, ...slowly });
    this.#socket.on('error', (error) => {
      this.ended ??= error.message;
    });
    this.#socket.on('close', () => {
      this.ended ??= 'the server closed the stream';
    });
    if (manner === 'reads') this.#socket.on('data', (chunk) => this.#read(chunk));
    else if (manner === 'stalled') this.#socket.pause();
    else this.#timer = setInterval(() => this.#socket.resume(), SLOW_EVERY_MS);
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  }

  /** The newest revision that was received; -1 before the first. */
  get newest(): number {
    return this.heard.at(-1) ?? -1;
  }
  /** The local port, which identifies the socket in the tables of the kernel. */
  get port(): number {
    return this.#socket.localPort ?? 0;
  }

  /** Reads without a limit from here on. */
  letGo(): void {
    this.#isFree = true;
    clearInterval(this.#timer);
    this.#socket.resume();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.removeAllListeners('close').destroy();
  }

  /** Returns whether to read on. */
  readonly #readSlowly = (count: number, buffer: Uint8Array): boolean => {
    this.#read(Buffer.from(buffer.subarray(0, count)));
    return this.#isFree;
  };

  #read(chunk: Buffer): void {
    const now = nowMs();
    this.bytes += chunk.length;
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    // A chunk can end inside a frame. The bytes after the last complete line are kept for the next chunk.
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = end === bytes.length ? null : bytes.subarray(end);
    const revision = lastRevision(bytes, end);
    if (revision === null) return;
    this.heard_ms.push(now);
    this.heard.push(revision);
  }
}

/** Returns the last revision of `events` before `end`; `null` if there is none. */
export function lastRevision(bytes: Buffer, end: number): number | null {
  const at = bytes.subarray(0, end).lastIndexOf(NEEDLE);
  if (at < 0) return null;
  const digits = at + NEEDLE.length;
  return Number.parseInt(bytes.toString('latin1', digits, digits + MOST_DIGITS), 10);
}

/**
 * Returns the bytes that the kernel holds between two ports of this machine, from proc_net_tcp(5). `null` without that
 * table.
 */
export async function unreadBetween(from: number, to: number): Promise<number | null> {
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => null);
  return table === null ? null : unreadIn(table, from, to);
}

/** A line has two addresses, the state, and both queues as `sending:receiving`. All numbers are hexadecimal. */
const LINE = /^ *\d+: \w+:(\w+) \w+:(\w+) \w+ (\w+):(\w+) /gm;

/** Adds the bytes that `from` sent and that are not acknowledged to the bytes that `to` received and did not read. */
export function unreadIn(table: string, from: number, to: number): number {
  let bytes = 0;
  for (const [, local, remote, sending, receiving] of table.matchAll(LINE)) {
    const ports = [local, remote].map((text) => Number.parseInt(text!, 16)).join();
    if (ports === `${from},${to}`) bytes += Number.parseInt(sending!, 16);
    if (ports === `${to},${from}`) bytes += Number.parseInt(receiving!, 16);
  }
  return bytes;
}
