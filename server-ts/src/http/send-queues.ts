/**
 * Measures how many bytes of a stream its client has not taken, and pauses a stream that holds its share.
 *
 * Node can neither set nor read the size of a socket's send buffer, which grows to megabytes for a client that stalls.
 * Linux reports what a client has not taken in `/proc/net/tcp` and `/proc/net/tcp6`, by the socket's inode. It is read
 * only for a stream that wrote a good part of its share since the last time. Elsewhere nothing is known and no stream
 * pauses (decision 40). Only this side has this file: Rust sets the size of the buffer.
 */
import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../contract.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** How long after one look the next may follow, and how long it waits at most while no client takes anything. */
const SHORTEST_MS = 25;
const LONGEST_MS = 1000;
/** A table can miss a socket while others come and go; a socket that it never has is not watched any more. */
const MOST_MISSED = 3;

/** Of all streams. */
export class SendQueues {
  private readonly queues = new Set<SendQueue>();
  private readonly tables = process.platform === 'linux' ? TABLES : [];
  /** How many bytes the kernel may hold of all streams together. */
  private readonly most: number;
  private pauseMs = SHORTEST_MS;
  private looking: Promise<void> | undefined;

  constructor(most: number = LIMITS.stream_kernel_bytes) {
    this.most = most;
  }

  /** Watches a stream until its socket is closed. A client that takes no byte for `stallMs` is given up. */
  add(socket: Socket, stallMs: number): SendQueue {
    const queue = new SendQueue(this, socket, stallMs);
    const isKnown = this.tables.length > 0 && queue.inode !== undefined;
    if (isKnown && !socket.destroyed) {
      this.queues.add(queue);
      socket.once('close', () => {
        this.queues.delete(queue);
        // The others have larger shares from now on.
        this.pauseMs = SHORTEST_MS;
      });
    }
    return queue;
  }

  /** How many bytes the kernel may hold of this stream. */
  shareOf(queue: SendQueue): number {
    return this.queues.has(queue) ? this.most / this.queues.size : Number.POSITIVE_INFINITY;
  }

  /** Looks at what the kernel holds; resolves when that is known. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookOnce(): Promise<void> {
    await sleep(this.pauseMs);
    const written = new Map([...this.queues].map((queue) => [queue, queue.dispatched]));
    // Where neither file can be read, nothing is known of any socket, and no stream pauses.
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

/** Of one stream. */
export class SendQueue {
  /** What the kernel knows the socket by; nothing once it is closed. */
  readonly inode: number | undefined;
  /** How many looks in a row did not find it. */
  missed = 0;
  private readonly queues: SendQueues;
  private readonly socket: Socket;
  private readonly stallMs: number;
  /** How many bytes of the connection the client had taken at the last look. */
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

  /** How many bytes were given to the kernel; one write that is under way counts as not given. */
  get dispatched(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  /** Waits until this many bytes more are within the stream's share, or the client is gone. */
  async room(bytes: number): Promise<void> {
    const most = (): number => Math.max(this.queues.shareOf(this) - bytes, 0);
    // Asked early, so that a client that keeps up does not wait for the answer.
    if (this.held > most() / 2) void this.queues.look();
    if (this.held <= most()) return;
    this.isWaiting = true;
    this.takenAtMs = performance.now();
    while (!this.socket.destroyed && this.held > most()) await this.queues.look();
    this.isWaiting = false;
  }

  /** Notes how many bytes the client has taken; whether those are more than before. */
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

  /** At most this many bytes are on their way to the client. */
  private get held(): number {
    return this.socket.bytesWritten - this.taken;
  }
}

/** The inodes of the sockets in a table of the kernel, each with the bytes that the other side has not acknowledged. */
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
