/**
 * Names the formats of bodies and answers, and reads bodies in them as events (rules FMT-01 to FMT-07).
 *
 * Invariant: every format becomes spans of a text, so that the rules of events exist once (decision 53).
 */
import { isUtf8 } from 'node:buffer';
import type { Buffers } from '../buffers.ts';
import type { FORMATS } from '../contract.ts';
import { Failure } from '../error.ts';
import type { RawEvents } from '../event.ts';
import { scanBatch, scanEvent } from '../json.ts';
import type { RawBatch } from './batch.ts';
import { readLine, readLines } from './ndjson.ts';

/** A format of bodies and answers, by its name in `formats.json`. */
export type Format = keyof typeof FORMATS;

/** Returns whether its answers hold only rows, in several pages (rule FMT-09). */
export function isExport(format: Format): boolean {
  return format === 'ndjson' || format === 'arrow';
}

/** The modules of the binary formats, which load their libraries. Each is absent until a body needs it. */
const libraries: {
  msgpack?: typeof import('./msgpack.ts');
  protobuf?: typeof import('./protobuf.ts');
} = {};

/** Loads the module of a format; returns `undefined` when it is loaded or needs no library. */
export function loadFormat(format: Format): Promise<void> | undefined {
  if (format === 'msgpack' && libraries.msgpack === undefined) return loadMsgpack();
  if (format === 'protobuf' && libraries.protobuf === undefined) return loadProtobuf();
  return undefined;
}

async function loadMsgpack(): Promise<void> {
  libraries.msgpack = await import('./msgpack.ts');
}

async function loadProtobuf(): Promise<void> {
  libraries.protobuf = await import('./protobuf.ts');
}

/**
 * Reads the one event of a body into `raw`. Returns the text that its spans refer to: the body, or memory of
 * `buffers`. Requires `loadFormat` first.
 */
export function readEvent(format: Format, body: Buffer, raw: RawEvents, buffers: Buffers): Buffer {
  switch (format) {
    case 'json':
      if (!isUtf8(body) || !scanEvent(body, raw)) throw new Failure('invalid_json');
      return body;
    case 'ndjson':
      if (!readLine(body, raw)) throw new Failure('invalid_json');
      return body;
    case 'msgpack':
      return libraries.msgpack!.readMsgpackEvent(body, raw, buffers);
    case 'protobuf':
      return libraries.protobuf!.readProtobufEvent(body, raw, buffers);
    case 'arrow':
      throw new Failure('internal');
  }
}

/**
 * Reads the events of a body into `raw`, in slices. Events after the first `maxItems` are counted but not kept (rule
 * ING-09). Returned text and loading are as for `readEvent`.
 */
export function* readBatch(
  format: Format,
  body: Buffer,
  raw: RawEvents,
  maxItems: number,
  buffers: Buffers,
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
    case 'msgpack':
      return yield* libraries.msgpack!.readMsgpackBatch(body, raw, maxItems, buffers);
    case 'protobuf':
      return yield* libraries.protobuf!.readProtobufBatch(body, raw, maxItems, buffers);
    case 'arrow':
      throw new Failure('internal');
  }
}
