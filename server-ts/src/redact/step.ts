/**
 * Redacts an event between its validation and the truncation of its metadata (rules RED-01 and MET-02).
 *
 * Pure. It drops the whole text of a summary that is not kept (rule MET-04).
 */
import type { EventTable, FieldError } from '../event.ts';
import { FIELD, INT_WIDTH, WHOLE } from '../field.ts';
import type { Redaction } from './index.ts';

/** Reads one item as the next row of the table; returns its problems, if any. */
type Read = (index: number) => readonly FieldError[] | undefined;

/** Makes the summary of metadata above a limit, of the event at `row` of the columns of integers. */
type Truncate = (
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
  table: EventTable,
  row: number,
) => string | undefined;

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
   * Returns a reader of items that redacts them, and then replaces metadata above the limit by the summary of `truncate`.
   * `hasOwnId` is false when the server made the ids of events. `onRedacted` is called for each redacted event.
   */
  reader(table: EventTable, read: Read, truncate: Truncate, hasOwnId: boolean, onRedacted: () => void): Read {
    const { redaction, keepsWhole, maxMetadataBytes: limit } = this;
    const { ints } = table;
    return (index) => {
      const problems = read(index);
      if (problems !== undefined) return problems;
      const row = (table.count - 1) * INT_WIDTH;
      if (redaction?.redactEvent(table, row, hasOwnId)) onRedacted();
      const metadata = row + FIELD.metadata.column;
      if (ints[metadata + 1]! - ints[metadata]! <= limit) return undefined;
      const { bytes, start, end } = table.rangeAt(metadata);
      const summary = truncate(bytes, start, end, limit, table, row);
      if (summary === undefined) return undefined;
      table.summarise(row, summary);
      if (!keepsWhole) ints.fill(0, row + WHOLE, row + WHOLE + 2);
      return undefined;
    };
  }
}
