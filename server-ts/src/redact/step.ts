/**
 * Redacts an event between its validation and the truncation of its metadata (rule RED-01).
 *
 * Pure. Without `--redact` it passes the limit of metadata on. It drops the whole text of a summary that is not kept (rule
 * MET-04).
 */
import type { EventTable, FieldError } from '../event.ts';
import { FIELD, INT_WIDTH, WHOLE } from '../field.ts';
import type { Redaction } from './index.ts';

/** Reads one item as the next row of the table; returns its problems, if any. */
type Read = (index: number) => readonly FieldError[] | undefined;

/** Makes the summary of metadata above a limit. */
type Truncate = (bytes: Buffer, start: number, end: number, limit: number) => string | undefined;

/** The limit of metadata, and the redaction if there is one. */
export class RedactionStep {
  private readonly maxMetadataBytes: number;
  private readonly keepsWhole: boolean;
  private readonly redaction: Redaction | undefined;

  /**
   * Creates a step; `maxMetadataBytes` is the flag's value. `keepsWhole` is whether the whole text of a summary is kept.
   */
  constructor(maxMetadataBytes: number, keepsWhole: boolean, redaction: Redaction | undefined) {
    this.maxMetadataBytes = maxMetadataBytes;
    this.keepsWhole = keepsWhole;
    this.redaction = redaction;
  }

  /** Returns the same step without redaction. */
  withoutRedaction(): RedactionStep {
    return new RedactionStep(this.maxMetadataBytes, this.keepsWhole, undefined);
  }

  /**
   * Returns a reader of items that redacts them. `read` gets the limit of their metadata. `hasOwnId` is false when the
   * server made the ids of events. `onRedacted` is called for each redacted event.
   */
  reader(
    table: EventTable,
    read: (limit: number) => Read,
    truncate: Truncate,
    hasOwnId: boolean,
    onRedacted: () => void,
  ): Read {
    const { redaction, maxMetadataBytes: limit } = this;
    if (redaction === undefined) return this.withoutWhole(table, read(limit));
    const readWhole = read(Number.MAX_SAFE_INTEGER);
    return this.withoutWhole(table, (index) => {
      const problems = readWhole(index);
      if (problems !== undefined) return problems;
      const row = (table.count - 1) * INT_WIDTH;
      if (redaction.redactEvent(table, row, hasOwnId)) onRedacted();
      const { bytes, start, end } = table.rangeAt(row + FIELD.metadata.column);
      const summary = end - start <= limit ? undefined : truncate(bytes, start, end, limit);
      if (summary !== undefined) table.summarise(row, summary);
      return undefined;
    });
  }

  /** Drops the whole text of each summary, unless it is kept. */
  private withoutWhole(table: EventTable, read: Read): Read {
    if (this.keepsWhole) return read;
    return (index) => {
      const problems = read(index);
      const whole = (table.count - 1) * INT_WIDTH + WHOLE;
      if (problems === undefined) table.ints.fill(0, whole, whole + 2);
      return problems;
    };
  }
}
