/**
 * Names the formats of bodies and answers, and reads bodies in them as events (rules FMT-01 to FMT-07).
 *
 * Invariant: every format ends in spans of a body of text, so that the rules of events exist once.
 */
import { isUtf8 } from 'node:buffer';
import type { Format } from '../contract.ts';
import { Failure } from '../error.ts';
import type { RawEvents } from '../event.ts';
import { scanBatch, scanEvent } from '../json.ts';
import { readLine, readLines } from './ndjson.ts';

export type { Format } from '../contract.ts';

/** What was read of a batch; its events are in the table that was given. */
export interface RawBatch {
  /** The text that their spans lie in. */
  readonly body: Buffer;
  /** How many events there are; the table has at most as many as were asked for. */
  readonly count: number;
}

/** Whether answers in it are rows alone, sent page by page (rule FMT-09). */
export function isExport(format: Format): boolean {
  return format === 'ndjson' || format === 'arrow';
}

/** Reads the one event of a body into `raw`; returns the text that its spans lie in. */
export function readEvent(format: Format, body: Buffer, raw: RawEvents): Buffer {
  switch (format) {
    case 'json':
      if (!isUtf8(body) || !scanEvent(body, raw)) throw new Failure('invalid_json');
      return body;
    case 'ndjson':
      if (!readLine(body, raw)) throw new Failure('invalid_json');
      return body;
    default:
      throw new Failure('internal');
  }
}

/** Reads the events of a body into `raw`, in slices. Those after the first `maxItems` are counted and not kept (rule ING-09). */
export function* readBatch(
  format: Format,
  body: Buffer,
  raw: RawEvents,
  maxItems: number,
): Generator<void, RawBatch> {
  switch (format) {
    case 'json': {
      if (!isUtf8(body)) throw new Failure('invalid_json');
      const batch = yield* scanBatch(body, raw, maxItems);
      if (batch === undefined) throw new Failure('invalid_json');
      if (!batch.isBatch) throw new Failure('invalid_batch');
      return { body, count: batch.count };
    }
    case 'ndjson':
      return { body, count: yield* readLines(body, raw, maxItems) };
    default:
      throw new Failure('internal');
  }
}
