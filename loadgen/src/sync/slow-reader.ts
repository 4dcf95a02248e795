/**
 * A client of the invalidation stream that reads a thousand bytes a second, until `letGo` is called.
 *
 * Invariant: it reads only so much from its socket. The rest stays in the buffers of the kernel and the server.
 */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { lastRevision } from './raw-client.ts';

const READ_BYTES = 1024;
const EVERY_MS = 1000;

export class SlowReader {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout | undefined;
  #isFree: boolean;
  #bytes = 0;
  #newest = -1;
  #ended: string | null = null;
  /** The bytes after the last complete line, where a chunk may have cut a frame. */
  #rest = Buffer.alloc(0);

  constructor(url: string, path: string, isSlow: boolean) {
    const { hostname, port, host } = new URL(url);
    this.#isFree = !isSlow;
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      onread: { buffer: Buffer.alloc(READ_BYTES), callback: (count, bytes) => this.#read(count, bytes) },
    });
    this.#socket.on('error', (error) => {
      this.#ended ??= error.message;
    });
    this.#socket.on('close', () => {
      this.#ended ??= 'the server closed the stream';
    });
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
    if (isSlow) this.#timer = setInterval(() => this.#socket.resume(), EVERY_MS);
  }

  get bytes(): number {
    return this.#bytes;
  }
  /** The newest revision of `events` that was read; -1 before the first. */
  get newest(): number {
    return this.#newest;
  }
  get ended(): string | null {
    return this.#ended;
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
    this.#socket.destroy();
  }

  /** Returns whether to read on. */
  #read(count: number, buffer: Uint8Array): boolean {
    this.#bytes += count;
    const bytes = Buffer.concat([this.#rest, buffer.subarray(0, count)]);
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = Buffer.from(bytes.subarray(end));
    this.#newest = lastRevision(bytes, end) ?? this.#newest;
    return this.#isFree;
  }
}

/**
 * Returns the bytes that the kernel holds between two ports of this machine, from proc_net_tcp(5). `null` without that
 * table.
 */
export async function unreadBetween(from: number, to: number): Promise<number | null> {
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => null);
  return table === null ? null : unreadIn(table, from, to);
}

/** Adds the bytes that `from` sent and that are not acknowledged to the bytes that `to` received and did not read. */
export function unreadIn(table: string, from: number, to: number): number {
  let bytes = 0;
  for (const line of table.split('\n').slice(1)) {
    const [, local, remote, , queues] = line.trim().split(/\s+/);
    if (local === undefined || remote === undefined || queues === undefined) continue;
    const [sending, receiving] = queues.split(':').map((text) => Number.parseInt(text, 16));
    if (portOf(local) === from && portOf(remote) === to) bytes += sending!;
    if (portOf(local) === to && portOf(remote) === from) bytes += receiving!;
  }
  return bytes;
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}
