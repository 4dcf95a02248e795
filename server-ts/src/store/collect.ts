/**
 * Frees the garbage of a long read.
 *
 * V8 collects the heap of a thread only when the thread allocates more. A reader that has made a page of megabytes may
 * then be idle, and keep the texts of its rows for hours. Only server-ts has this file: Rust frees memory at once.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of a result from which on a collection costs less than the read did. */
const LONG_BYTES = 1 << 20;

let gc: (() => void) | undefined;

/** Collects the garbage of this thread, after a result of this length. */
export function collectAfter(bytes: number): void {
  if (bytes < LONG_BYTES) return;
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
  }
  gc();
}
