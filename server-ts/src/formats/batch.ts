/** Describes the events of a batch before they are checked (rule ING-09). */

/** What was read of a batch; its events are in the table that was given. */
export interface RawBatch {
  /** The text that their spans lie in. */
  readonly body: Buffer;
  /** How many events there are; the table has at most as many as were asked for. */
  readonly count: number;
}

/** Where the events of a batch lie in a body. */
export interface Places {
  /** A start and an end of each of the first ones, as many as were asked for. */
  readonly events: readonly number[];
  /** How many there are. */
  readonly count: number;
}
