/** Describes a batch of standard input as it was sent, and where it stood (rule PRO-12). */
import type { Failure } from '../error.ts';

/** A batch of lines has at most this many bytes; a longer line is a batch of its own. */
export const BATCH_BYTES = 256 * 1024;

/** Where a batch stood in the input: its lines or its frame, counted from 1 over the whole input. */
export type Place =
  | { readonly kind: 'lines'; readonly first: number; readonly last: number }
  | { readonly kind: 'frame'; readonly number: number };

/** A batch as it was sent. */
export interface Batch {
  /** A body in the format of the input, in memory of `buffers`. */
  readonly body: Buffer;
  readonly place: Place;
  /** Its lines that are too long, counted from 1; `body` has a line that is no JSON in their places. */
  readonly tooLong: readonly number[];
}

/** A frame after which nothing can be read. */
export class Broken extends Error {
  readonly place: Place;
  /** What is wrong with it. */
  readonly failure: Failure;

  constructor(place: Place, failure: Failure) {
    super(failure.code);
    this.place = place;
    this.failure = failure;
  }
}
