/** Describes the events of a batch before they are checked (rule ING-09). */

/** The result of reading a batch; the caller's table holds its events. */
export interface RawBatch {
  /** The text that their spans refer to. */
  readonly body: Buffer;
  /** Number of events; the table holds at most the requested number. */
  readonly count: number;
}

/** Places of a batch's events in a body. */
export interface Places {
  /** A start and an end of each of the first events, at most the requested number. */
  readonly events: readonly number[];
  /** Number of fields. */
  readonly count: number;
}
