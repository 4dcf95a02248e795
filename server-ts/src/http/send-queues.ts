/**
 * Measures how many bytes of a stream its client has not taken, and pauses a stream that uses its share. Disconnects
 * clients that take nothing of another answer.
 *
 * All streams together also write a bounded number of bytes per turn of the event loop (decision 104).
 *
 * Node can neither set nor read the size of a socket's send buffer, which grows to megabytes for a stalled client.
 * Linux reports the unacknowledged bytes in `/proc/net/tcp` and `/proc/net/tcp6`, by the socket's inode. The server
 * reads them only for a stream that wrote a large part of its share since the last time. Other systems have no such
 * file, and no stream pauses (decision 40). Only server-ts has this file: Rust sets the size of the buffer.
 */
import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, TUNING } from '../contract.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Shortest time between two reads of the tables, which grows to a maximum while no client takes bytes. */
const SHORTEST_MS = 25;
const LONGEST_MS = 1000;
/** Bytes that all streams together write before other requests run. */
const TURN_BYTES = 1 << 19;
/**
 * A table can miss a socket while others open and close. A socket that is missing this often is no longer watched.
 */
const MOST_MISSED = 3;

/** Interval of the check for answers that nothing was taken of. */
const CHECK_MS = 5_000;

/** The part of a socket that counts the taken bytes. */
export type Taker = Pick<Socket, 'destroy'>;

/** Node's counters of a socket, which are private. */
interface Counters {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

/** Returns how many bytes of a connection the kernel has taken. */
export function takenBytes(socket: Taker): number {
  const { _handle: handle } = socket as Taker & Counters;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/**
 * Disconnects a client that takes no byte of its answer for a while (rule HTT-11). A time limit of Node's socket may take
 * twice as long.
 */
export function endWhenStalled(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) return;
  let [taken, takenAtMs] = [takenBytes(socket), performance.now()];
  const timer = setInterval(() => {
    const now = takenBytes(socket);
    if (now > taken || socket.writableLength === 0) [taken, takenAtMs] = [now, performance.now()];
    else if (performance.now() - takenAtMs >= LIMITS.request_timeout_ms) socket.destroy();
  }, CHECK_MS);
  timer.unref();
  response.once('close', () => clearInterval(timer));
}

/** The send queues of all streams. */
export class SendQueues {
  private readonly queues = new Set<SendQueue>();
  private readonly tables = process.platform === 'linux' ? TABLES : [];
  /** Bytes that the kernel may buffer for all streams together. */
  private readonly most: number;
  private pauseMs = SHORTEST_MS;
  private looking: Promise<void> | undefined;
  /** Bytes that streams may write before the next turn of the event loop, and the streams that wait for it. */
  private left = TURN_BYTES;
  private readonly waiting: (() => void)[] = [];

  constructor(most: number = TUNING.stream_kernel_bytes) {
    this.most = most;
  }

  /** Watches a stream until its socket closes. A client that takes no bytes for `stallMs` is disconnected. */
  add(socket: Socket, stallMs: number): SendQueue {
    const queue = new SendQueue(this, socket, stallMs);
    const isKnown = this.tables.length > 0 && queue.inode !== undefined;
    if (isKnown && !socket.destroyed) {
      this.queues.add(queue);
      socket.once('close', () => {
        this.queues.delete(queue);
        // The remaining streams now have larger shares.
        this.pauseMs = SHORTEST_MS;
      });
    }
    return queue;
  }

  /** Returns how many bytes the kernel may buffer for this stream. */
  shareOf(queue: SendQueue): number {
    return this.queues.has(queue) ? this.most / this.queues.size : Number.POSITIVE_INFINITY;
  }

  /** Waits for the turn to write this many bytes, in the order of the calls; returns `undefined` if it has come. */
  turn(bytes: number): Promise<void> | undefined {
    if (this.waiting.length === 0 && this.left > 0) {
      this.left -= bytes;
      return undefined;
    }
    if (this.waiting.length === 0) setImmediate(() => this.nextTurn());
    return new Promise((resolve) => {
      this.waiting.push(() => {
        this.left -= bytes;
        resolve();
      });
    });
  }

  private nextTurn(): void {
    this.left = TURN_BYTES;
    let count = 0;
    while (count < this.waiting.length && this.left > 0) this.waiting[count++]!();
    this.waiting.splice(0, count);
    if (this.waiting.length > 0) setImmediate(() => this.nextTurn());
  }

  /** Reads the kernel's buffered bytes; resolves when they are known. */
  look(): Promise<void> {
    this.looking ??= this.readOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async readOnce(): Promise<void> {
    await sleep(this.pauseMs);
    const written = new Map([...this.queues].map((queue) => [queue, queue.dispatched]));
    // When neither file is readable, no socket is found and no stream pauses.
    const texts = await Promise.all(this.tables.map((path) => readFile(path, 'latin1').catch(() => '')));
    const held = new Map(texts.flatMap(heldBytes));
    if (held.size === 0) this.queues.clear();
    let isTaken = false;
    for (const [queue, bytes] of written) {
      const left = held.get(queue.inode!);
      if (left !== undefined) isTaken = queue.update(bytes - left) || isTaken;
      else if (++queue.missed > MOST_MISSED) this.queues.delete(queue);
    }
    this.pauseMs = isTaken ? SHORTEST_MS : Math.min(this.pauseMs * 2, LONGEST_MS);
  }
}

/** The send queue of one stream. */
export class SendQueue {
  /** The kernel's id of the socket; `undefined` once it is closed. */
  readonly inode: number | undefined;
  /** Number of consecutive reads that did not find it. */
  missed = 0;
  private readonly queues: SendQueues;
  private readonly socket: Socket;
  private readonly stallMs: number;
  /** Bytes of the connection that the client had taken at the last read. */
  private taken: number;
  private takenAtMs = 0;
  private isWaiting = false;

  constructor(queues: SendQueues, socket: Socket, stallMs: number) {
    this.queues = queues;
    this.socket = socket;
    this.stallMs = stallMs;
    this.inode = inodeOf(socket);
    this.taken = socket.bytesWritten;
  }

  /** Bytes passed to the kernel; a write in progress does not count. */
  get dispatched(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  /** Waits until this many more bytes are within the stream's share, or the client disconnects. */
  async room(bytes: number): Promise<void> {
    const most = (): number => Math.max(this.queues.shareOf(this) - bytes, 0);
    // Starts early, so that a fast client does not wait for the result.
    if (this.held > most() / 2) void this.queues.look();
    if (this.held <= most()) return;
    this.isWaiting = true;
    this.takenAtMs = performance.now();
    while (!this.socket.destroyed && this.held > most()) await this.queues.look();
    this.isWaiting = false;
  }

  /** Records how many bytes the client has taken; returns whether the number has grown. */
  update(taken: number): boolean {
    this.missed = 0;
    if (taken > this.taken) {
      this.taken = taken;
      this.takenAtMs = performance.now();
      return true;
    }
    if (this.isWaiting && performance.now() - this.takenAtMs > this.stallMs) this.socket.destroy();
    return false;
  }

  /** Upper bound of the bytes in flight to the client. */
  private get held(): number {
    return this.socket.bytesWritten - this.taken;
  }
}

/** Returns the inodes of the sockets in a kernel table, each with its unacknowledged bytes. */
function heldBytes(table: string): [inode: number, bytes: number][] {
  const rows = table.split('\n').slice(1, -1);
  return rows.map((row) => {
    const columns = row.trim().split(/ +/);
    return [Number(columns[9]), Number.parseInt(columns[4]!, 16)];
  });
}

function inodeOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  const fd = handle?.fd;
  return fd === undefined || fd < 0 ? undefined : fstatSync(fd).ino;
}
