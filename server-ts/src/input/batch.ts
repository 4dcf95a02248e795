/** Describes a batch of standard input and its place (rule PRO-12). */
import type { Failure } from '../error.ts';

/** Largest size of a batch of lines; a longer line is a batch of its own. */
export const BATCH_BYTES = 256 * 1024;

/** The place of a batch in the input: its lines or its frame, counted from 1 over the whole input. */
export type Place =
  | { readonly kind: 'lines'; readonly first: number; readonly last: number }
  | { readonly kind: 'frame'; readonly number: number };

/** A batch as sent. */
export interface Batch {
  /** A body in the format of the input, in memory of `buffers`. */
  readonly body: Buffer;
  readonly place: Place;
  /** Its lines that are too long, counted from 1. `body` has a line that is not JSON in their places. */
  readonly tooLong: readonly number[];
}

/** A malformed frame, which ends the input. */
export class Broken extends Error {
  readonly place: Place;
  /** The problem of the frame. */
  readonly failure: Failure;

  constructor(place: Place, failure: Failure) {
    super(failure.code);
    this.place = place;
    this.failure = failure;
  }
}
