/**
 * Reuses the memory of request bodies and event tables.
 *
 * The main thread fills this memory and the writer's thread reads it. Without reuse, each request would leave about
 * 100 KB for another thread to free. The allocator reacts to that by keeping far more memory than is in use.
 *
 * Small buffers are shared: a message carries each one once, and later messages carry its number. That makes single
 * events faster (decision 34). Large buffers are transferred and come back, since V8 does not count shared memory
 * when it schedules a collection.
 *
 * Invariants: memory is given back once, and only when no thread reads it any more. A number means the same memory on
 * both sides until a message removes it. Only server-ts has this file.
 */
import { Buffer } from 'node:buffer';

/** Binary logarithms of the smallest and the largest size. Sizes are powers of two; longer buffers are not reused. */
const SMALLEST_LOG = 13;
const LARGEST_LOG = 20;
/** Binary logarithm of the largest size of shared buffers. */
const SHARED_LOG = 16;
/** Largest number of bytes in unused buffers. */
const KEPT_BYTES = 6 << 20;

/** Number of bytes up to which a text gets exactly its length, since glibc keeps little memory of it. */
const SHORT_BYTES = 8 << 20;
/** Number of bytes above glibc's `DEFAULT_MMAP_THRESHOLD_MAX`. */
const MAPPED_BYTES = 33 << 20;

/**
 * Returns how many bytes to allocate for a text, so that the system gets the memory of a long text back at once.
 *
 * glibc gives a block above 32 MiB a mapping of its own. After it frees a shorter block with a mapping, it raises its
 * thresholds and keeps more memory (mallopt(3), `M_MMAP_THRESHOLD`). Unused pages cost nothing.
 */
export function roomFor(length: number): number {
  return length > SHORT_BYTES ? Math.max(length, MAPPED_BYTES) : length;
}

/** Changes to shared memory that the next message reports to the writer's thread. */
export interface MemoryNews {
  readonly fresh: readonly (readonly [number: number, memory: SharedArrayBuffer])[];
  readonly gone: readonly number[];
}

export class Buffers {
  private readonly free: ArrayBufferLike[][] = [];
  private keptBytes = 0;
  /** Numbers of the memory that the thread knows. */
  private readonly numbers = new WeakMap<SharedArrayBuffer, number>();
  private nextNumber = 0;
  private fresh: [number, SharedArrayBuffer][] = [];
  private gone: number[] = [];

  /** Returns at least `length` bytes, uninitialised. */
  take(length: number): ArrayBufferLike {
    const log = logOf(length);
    if (log > LARGEST_LOG) return new ArrayBuffer(roomFor(length));
    const kept = this.free[log]?.pop();
    if (kept === undefined)
      return log > SHARED_LOG ? new ArrayBuffer(1 << log) : new SharedArrayBuffer(1 << log);
    this.keptBytes -= kept.byteLength;
    return kept;
  }

  /** Returns exactly `length` bytes, uninitialised. */
  bytes(length: number): Buffer {
    return Buffer.from(this.take(length), 0, length);
  }

  /** Concatenates chunks like `Buffer.concat`, but into reused memory. */
  concat(chunks: readonly Buffer[], length: number): Buffer {
    const whole = this.bytes(length);
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(whole, at);
    return whole;
  }

  /** Takes memory back. Memory that was transferred since then is empty and is ignored. */
  give(memory: ArrayBufferLike): void {
    const { byteLength } = memory;
    const log = logOf(byteLength);
    const isOurs = byteLength === 1 << log && log <= LARGEST_LOG;
    if (!isOurs || this.keptBytes + byteLength > KEPT_BYTES) {
      this.forget(memory);
      return;
    }
    const list = this.free[log] ?? [];
    this.free[log] = list;
    list.push(memory);
    this.keptBytes += byteLength;
  }

  /** Returns the number that identifies the memory in the writer's thread, once the thread has the news. */
  numberOf(memory: SharedArrayBuffer): number {
    let number = this.numbers.get(memory);
    if (number === undefined) {
      number = this.nextNumber++;
      this.numbers.set(memory, number);
      this.fresh.push([number, memory]);
    }
    return number;
  }

  /** Returns the news for the next message; `undefined` where there is none. */
  takeNews(): MemoryNews | undefined {
    const { fresh, gone } = this;
    if (fresh.length + gone.length === 0) return undefined;
    this.fresh = [];
    this.gone = [];
    return { fresh, gone };
  }

  private forget(memory: ArrayBufferLike): void {
    if (!(memory instanceof SharedArrayBuffer)) {
      // Frees the memory now. V8 collects it only once 64 MB of such garbage exist.
      if (!memory.detached) memory.transfer(0);
      return;
    }
    const number = this.numbers.get(memory);
    if (number !== undefined) this.gone.push(number);
  }
}

function logOf(length: number): number {
  return length <= 1 << SMALLEST_LOG ? SMALLEST_LOG : 32 - Math.clz32(length - 1);
}
