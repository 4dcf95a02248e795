/**
 * Reads MessagePack: turns the events of a body into JSON tokens (rules FMT-04 and FMT-05).
 *
 * Invariant: a body is checked before the library sees it, so what the library still refuses is a fault of ours.
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import type { RawEvents } from '../event.ts';
import { FIELD_SPECS, type FieldSpec } from '../field.ts';
import { canonicalJson } from './canonical.ts';
import type { RawBatch } from './index.ts';
import { checkBatch, checkEvent, isMap } from './msgpack-check.ts';
import { Tokens } from './tokens.ts';

const { Unpackr } = await import('msgpackr/unpack');

/** How many events are decoded before others run. */
const SLICE_EVENTS = 1000;
/** A text with this marker has a length of four bytes. */
const LONG_TEXT = 0xdb;
const MARK = Buffer.from('\ufeff');

/** Maps keep every key as data, in order; integers of 64 bits are bigints. */
const library = new Unpackr({ useRecords: false, mapsAsObjects: false });

const FIELDS_BY_NAME: ReadonlyMap<string, FieldSpec> = new Map(FIELD_SPECS.map((spec) => [spec.name, spec]));

/** Reads the one event of a body; returns the text that its spans lie in. */
export function readMsgpackEvent(sent: Buffer, raw: RawEvents, buffers: Buffers): Buffer {
  const marks: number[] = [];
  checkEvent(sent, marks);
  const body = doubleMarks(sent, marks);
  const tokens = new Tokens(buffers, raw, body.length);
  decodeEvent(body, 0, body.length, tokens);
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
  for (let index = 0; index < count; index++) {
    decodeEvent(body, events[2 * index]!, events[2 * index + 1]!, tokens);
    if (index % SLICE_EVENTS === SLICE_EVENTS - 1) yield;
  }
  return { body: tokens.finish(), count };
}

const range = { start: 0, end: 0 };

function decodeEvent(body: Buffer, start: number, end: number, tokens: Tokens): void {
  const isObject = isMap(body[start]);
  tokens.event(isObject);
  if (!isObject) return;
  range.start = start;
  range.end = end;
  const event = library.unpack(body, range) as ReadonlyMap<string, unknown>;
  for (const [name, value] of event) {
    const field = FIELDS_BY_NAME.get(name);
    if (field === undefined) continue;
    if (value === null) tokens.absent(field);
    else if (field.kind === 'json') writeMetadata(value, tokens);
    else if (typeof value === 'string') tokens.text(field, value);
    else if (typeof value === 'bigint') tokens.integer(field, value.toString());
    else if (typeof value === 'number') writeNumber(field, value, tokens);
    else tokens.other(field);
  }
}

function writeNumber(field: FieldSpec, value: number, tokens: Tokens): void {
  if (Number.isInteger(value)) tokens.integer(field, value);
  else tokens.number(field, value);
}

/** A string is JSON text; any other value becomes its canonical JSON text (rule FMT-05). */
function writeMetadata(value: unknown, tokens: Tokens): void {
  if (typeof value === 'string') tokens.metadata(value);
  else tokens.canonical(canonicalJson(value));
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
