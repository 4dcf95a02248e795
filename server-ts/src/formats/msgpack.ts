/**
 * Reads MessagePack: turns the events of a body into JSON tokens (rules FMT-04 and FMT-05).
 *
 * Invariant: a body is checked before the library sees it, so what the library still refuses is a fault of ours.
 * The library decodes numbers and containers; texts are copied from where the check found them, since to decode and to
 * encode each again would cost more than all else.
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import type { RawEvents } from '../event.ts';
import { FIELD_SPECS, type FieldSpec } from '../field.ts';
import { fieldNamed } from '../json.ts';
import { canonicalJson } from './canonical.ts';
import type { RawBatch } from './index.ts';
import { checkBatch, checkEvent, SHAPE, shapeAt, Walker } from './msgpack-check.ts';
import { Tokens } from './tokens.ts';

const { Unpackr } = await import('msgpackr/unpack');

/** How many events are decoded before others run. */
const SLICE_EVENTS = 1000;
/** A text with this marker has a length of four bytes. */
const LONG_TEXT = 0xdb;
const MARK = Buffer.from('\ufeff');

/** Maps keep every key as data, in order; integers of 64 bits are bigints. */
const library = new Unpackr({ useRecords: false, mapsAsObjects: false });

/** Reads the one event of a body; returns the text that its spans lie in. */
export function readMsgpackEvent(sent: Buffer, raw: RawEvents, buffers: Buffers): Buffer {
  const marks: number[] = [];
  checkEvent(sent, marks);
  const body = doubleMarks(sent, marks);
  const tokens = new Tokens(buffers, raw, body.length);
  decodeEvent(body, new Walker(body), tokens);
  return tokens.finish();
}

/** Reads the events of a body, in slices. Where they are more than `maxItems`, none is kept. */
export function* readMsgpackBatch(
  sent: Buffer,
  raw: RawEvents,
  maxItems: number,
  buffers: Buffers,
): Generator<void, RawBatch> {
  const marks: number[] = [];
  let places = yield* checkBatch(sent, maxItems, marks);
  if (places === undefined) throw new Failure('invalid_batch');
  const { count } = places;
  if (count > maxItems) return { body: sent, count };
  const body = doubleMarks(sent, marks);
  if (body !== sent) places = (yield* checkBatch(body, maxItems))!;
  const { events } = places;
  const tokens = new Tokens(buffers, raw, body.length);
  const walker = new Walker(body);
  for (let index = 0; index < count; index++) {
    walker.at = events[2 * index]!;
    decodeEvent(body, walker, tokens);
    if (index % SLICE_EVENTS === SLICE_EVENTS - 1) yield;
  }
  return { body: tokens.finish(), count };
}

/** The event that begins where the walker is. */
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

/** The value from `start` up to where the walker is. */
function decodeValue(body: Buffer, start: number, walker: Walker, field: FieldSpec, tokens: Tokens): void {
  const shape = shapeAt(body, start);
  const isMetadata = field.kind === 'json';
  if (shape === SHAPE.text) {
    if (isMetadata) tokens.metadata(body, walker.textStart, walker.at);
    else tokens.textOf(field, body, walker.textStart, walker.at);
    return;
  }
  if (shape !== SHAPE.array && shape !== SHAPE.map) {
    const value = decode(body, start, walker.at);
    if (value === null) tokens.absent(field);
    else if (typeof value === 'bigint') tokens.integer(field, value.toString());
    else if (typeof value === 'number') tokens.number(field, value);
    else if (isMetadata) tokens.canonical(canonicalJson(value));
    else tokens.other(field);
  } else if (isMetadata) {
    tokens.canonical(canonicalJson(decode(body, start, walker.at)));
  } else {
    tokens.other(field);
  }
}

const range = { start: 0, end: 0 };

function decode(body: Buffer, start: number, end: number): unknown {
  range.start = start;
  range.end = end;
  return library.unpack(body, range);
}

/**
 * Doubles the byte order marks that the library drops from the beginning of long texts. `marks` are the places of the
 * texts that begin with one: of the marker, and of the text.
 */
function doubleMarks(body: Buffer, marks: readonly number[]): Buffer {
  if (marks.length === 0) return body;
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < marks.length; at += 2) {
    const [marker, start] = [marks[at]!, marks[at + 1]!];
    const width = start - marker - 1;
    const length = body.readUIntBE(marker + 1, width);
    const header = Buffer.from([LONG_TEXT, 0, 0, 0, 0]);
    header.writeUInt32BE(length + MARK.length, 1);
    parts.push(body.subarray(from, marker), header, MARK);
    from = start;
  }
  parts.push(body.subarray(from));
  return Buffer.concat(parts);
}
