/**
 * Memory for bodies and tables, used again and again.
 *
 * It is filled in the main thread, goes to the writer with its request and comes back with the answer. Without
 * this every request would leave some hundred kilobytes to be freed by another thread than the one that took
 * them, which the allocator answers by holding on to far more than is in use. Only this side has this file.
 */
import { Buffer } from 'node:buffer';

/** Sizes are powers of two between these; longer ones are not kept. */
const SMALLEST_LOG = 13;
const LARGEST_LOG = 20;
/** At most this many bytes are kept for later. */
const KEPT_BYTES = 6 << 20;

export class Buffers {
  private readonly free: ArrayBuffer[][] = [];
  private keptBytes = 0;

  /** Memory of at least this many bytes, with anything in it. */
  take(length: number): ArrayBuffer {
    const log = logOf(length);
    if (log > LARGEST_LOG) return new ArrayBuffer(length);
    const kept = this.free[log]?.pop();
    if (kept === undefined) return new ArrayBuffer(1 << log);
    this.keptBytes -= kept.byteLength;
    return kept;
  }

  /** Exactly this many bytes, with anything in them. */
  bytes(length: number): Buffer {
    return Buffer.from(this.take(length), 0, length);
  }

  /** Takes memory back; what was given away meanwhile is empty and is left alone. */
  give(memory: ArrayBuffer): void {
    const { byteLength } = memory;
    const log = logOf(byteLength);
    const isOurs = byteLength === 1 << log && log <= LARGEST_LOG;
    if (!isOurs || this.keptBytes + byteLength > KEPT_BYTES) return;
    const list = this.free[log] ?? [];
    this.free[log] = list;
    list.push(memory);
    this.keptBytes += byteLength;
  }
}

function logOf(length: number): number {
  return length <= 1 << SMALLEST_LOG ? SMALLEST_LOG : 32 - Math.clz32(length - 1);
}
