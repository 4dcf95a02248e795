/**
 * Reuses the memory of bodies and tables.
 *
 * It is filled in the main thread and read by the writer's. Without this every request would leave some hundred
 * kilobytes to be freed by another thread than the one that took them, which the allocator answers by holding on to
 * far more than is in use. Short memory is shared: the thread is told of it once, and by its number from then on, which
 * a single event is stored sooner by (decision 34). Long memory is handed over and comes back, since V8 does not count
 * what is shared among what there is to collect.
 * What must stay true: memory is given back once, and only when nobody reads it any more; a number means the same
 * memory on both sides until the thread is told that it is gone. Only this side has this file.
 */
import { Buffer } from 'node:buffer';

/** Sizes are powers of two between these; longer ones are not kept. */
const SMALLEST_LOG = 13;
const LARGEST_LOG = 20;
/** Up to this size it is shared. */
const SHARED_LOG = 16;
/** At most this many bytes are kept for later. */
const KEPT_BYTES = 6 << 20;

/** What the writer's thread is yet to be told of shared memory. */
export interface MemoryNews {
  readonly fresh: readonly (readonly [number: number, memory: SharedArrayBuffer])[];
  readonly gone: readonly number[];
}

export class Buffers {
  private readonly free: ArrayBufferLike[][] = [];
  private keptBytes = 0;
  /** Of the memory that the thread knows. */
  private readonly numbers = new WeakMap<SharedArrayBuffer, number>();
  private nextNumber = 0;
  private fresh: [number, SharedArrayBuffer][] = [];
  private gone: number[] = [];

  /** Memory of at least this many bytes, with anything in it. */
  take(length: number): ArrayBufferLike {
    const log = logOf(length);
    if (log > LARGEST_LOG) return new ArrayBuffer(length);
    const kept = this.free[log]?.pop();
    if (kept === undefined)
      return log > SHARED_LOG ? new ArrayBuffer(1 << log) : new SharedArrayBuffer(1 << log);
    this.keptBytes -= kept.byteLength;
    return kept;
  }

  /** Exactly this many bytes, with anything in them. */
  bytes(length: number): Buffer {
    return Buffer.from(this.take(length), 0, length);
  }

  /** Like `Buffer.concat`, but in memory of its own. */
  concat(chunks: readonly Buffer[], length: number): Buffer {
    const whole = this.bytes(length);
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(whole, at);
    return whole;
  }

  /** Takes memory back; what was handed over meanwhile is empty and is left alone. */
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

  /** What the thread knows it by, once it was told the news. */
  numberOf(memory: SharedArrayBuffer): number {
    let number = this.numbers.get(memory);
    if (number === undefined) {
      number = this.nextNumber++;
      this.numbers.set(memory, number);
      this.fresh.push([number, memory]);
    }
    return number;
  }

  /** To be told with the next numbers; nothing where there is none. */
  takeNews(): MemoryNews | undefined {
    const { fresh, gone } = this;
    if (fresh.length + gone.length === 0) return undefined;
    this.fresh = [];
    this.gone = [];
    return { fresh, gone };
  }

  private forget(memory: ArrayBufferLike): void {
    if (!(memory instanceof SharedArrayBuffer)) {
      // Frees it now. V8 collects it only once there are 64 MB of such garbage.
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
