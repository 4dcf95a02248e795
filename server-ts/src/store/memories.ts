/**
 * Finds shared memory by its number, on the writer's thread.
 *
 * Invariant: news about memory arrives before the first job that uses it, and removed memory is not referenced.
 */
import type { MemoryNews } from '../buffers.ts';

export class Memories {
  private readonly known = new Map<number, SharedArrayBuffer>();

  learn({ fresh, gone }: MemoryNews): void {
    for (const [number, memory] of fresh) this.known.set(number, memory);
    for (const number of gone) this.known.delete(number);
  }

  of(number: number): SharedArrayBuffer {
    const memory = this.known.get(number);
    if (memory === undefined) throw new Error(`no memory ${number}`);
    return memory;
  }
}
