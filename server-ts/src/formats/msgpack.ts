/**
 * Reads MessagePack: turns the events of a body into JSON tokens (rules FMT-04 and FMT-05).
 *
 * Invariant: a body is checked before the library decodes it. So an error of the library is an internal error of this
 * server. The library decodes numbers; texts are copied as bytes of the body. Decoding and encoding each text would
 * cost more than all other work.
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import type { RawEvents } from '../event.ts';
import { FIELD_SPECS, type FieldSpec } from '../field.ts';
import { fieldNamed } from '../json.ts';
import type { RawBatch } from './batch.ts';
import { canonicalJson } from './canonical.ts';
import { checkBatch, checkEvent } from './msgpack-check.ts';
import { SHAPE, shapeAt, Walker } from './msgpack-walker.ts';
import { Tokens } from './tokens.ts';

const { Unpackr } = await import('msgpackr/unpack');

/** Events per slice; other requests run between slices. */
const SLICE_EVENTS = 1000;

const NIL = 0xc0;

/** The decoder; it returns integers of 64 bits as bigints. */
const library = new Unpackr({ useRecords: false });

/** Reads the one event of a body; returns the text that its spans refer to. */
export function readMsgpackEvent(body: Buffer, raw: RawEvents, buffers: Buffers): Buffer {
  checkEvent(body);
  const tokens = new Tokens(buffers, raw, body.length);
  decodeEvent(body, new Walker(body), tokens);
  return tokens.finish();
}

/** Reads the events of a body, in slices. Above `maxItems` events it keeps none. */
export function* readMsgpackBatch(
  body: Buffer,
  raw: RawEvents,
  maxItems: number,
  buffers: Buffers,
): Generator<void, RawBatch> {
  const places = yield* checkBatch(body, maxItems);
  if (places === undefined) throw new Failure('invalid_batch');
  const { events, count } = places;
  if (count > maxItems) return { body, count };
  const tokens = new Tokens(buffers, raw, body.length);
  const walker = new Walker(body);
  for (let index = 0; index < count; index++) {
    walker.at = events[2 * index]!;
    decodeEvent(body, walker, tokens);
    if (index % SLICE_EVENTS === SLICE_EVENTS - 1) yield;
  }
  return { body: tokens.finish(), count };
}

/** Decodes the event that starts at the walker's position. */
function decodeEvent(body: Buffer, walker: Walker, tokens: Tokens): void {
  const isObject = shapeAt(body, walker.at) === SHAPE.map;
  tokens.event(isObject);
  if (!isObject) return;
  for (let left = walker.container(0); left > 0; left--) {
    walker.key();
    const field = FIELD_SPECS[fieldNamed(body, walker.textStart, walker.at)];
    const start = walker.at;
    walker.skipValue(1);
    if (field !== undefined) decodeValue(body, start, walker, field, tokens);
  }
}

/** Decodes the value of a field, from `start` up to the walker's position. */
function decodeValue(body: Buffer, start: number, walker: Walker, field: FieldSpec, tokens: Tokens): void {
  const shape = shapeAt(body, start);
  if (field.kind === 'json') {
    if (shape === SHAPE.text) tokens.metadata(body, walker.textStart, walker.at);
    else if (body[start] === NIL) tokens.absent(field);
    else tokens.canonical(canonicalJson(body, start));
  } else if (shape === SHAPE.text) {
    tokens.textOf(field, body, walker.textStart, walker.at);
  } else if (shape === SHAPE.array || shape === SHAPE.map) {
    tokens.other(field);
  } else {
    const value = decode(body, start, walker.at);
    if (value === null) tokens.absent(field);
    else if (typeof value === 'bigint') tokens.integer(field, value.toString());
    else if (typeof value === 'number') tokens.number(field, value);
    else tokens.other(field);
  }
}

/** The options of a call to the library; one object is reused for all calls. */
const range = { start: 0, end: 0 };

/** Decodes a value that is neither text nor a container. */
function decode(body: Buffer, start: number, end: number): unknown {
  range.start = start;
  range.end = end;
  return library.unpack(body, range);
}
