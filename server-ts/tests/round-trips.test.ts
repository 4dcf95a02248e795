/** Properties of decoders and encoders together: what was encoded is decoded unchanged (decision 95). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';
import { Buffers } from '../src/buffers.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { FIELD, FIELD_SPECS } from '../src/field.ts';
import { canonicalJson } from '../src/formats/canonical.ts';
import { type Format, loadFormat, readEvent } from '../src/formats/index.ts';
import { disposition } from '../src/http/attachment-names.ts';
import { parseNumber, printNumber } from '../src/number.ts';
import { decodeString, isWellFormed, percentDecode } from '../src/text.ts';
import { formatTimestamp, parseTimestamp } from '../src/timestamp.ts';
import { parseTopic } from '../src/topics.ts';
import { validator } from '../src/validate.ts';
import { SETTINGS } from './arbitrary-bodies.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true });
const METADATA_BYTES = 1 << 20;
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;

await Promise.all([loadFormat('msgpack'), loadFormat('protobuf')]);

/** Well-formed text that trimming leaves alone. */
const texts = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .filter((text) => isWellFormed(text) && text.trim() === text && text !== '');

/** Returns the texts of the fields of a valid event. */
function textsOf(format: Format, body: Buffer): Record<string, string> {
  const buffers = new Buffers();
  const raw = new RawEvents();
  const text = readEvent(format, body, raw, buffers);
  const table = new EventTable(text, 1, buffers);
  assert.equal(validator(raw, table, METADATA_BYTES)(0), undefined);
  const found: Record<string, string> = {};
  for (const { name, kind, column } of FIELD_SPECS)
    if (kind === 'text' && table.ints[column] !== table.ints[column + 1]) found[name] = table.textAt(column);
  found.metadata = table.textAt(FIELD.metadata.column);
  return found;
}

const events = fc.record({
  session_id: texts,
  agent_type: texts,
  event_type: fc.constant('tool_use'),
  tool_name: texts,
  branch: texts,
  event_id: texts,
});

test('texts and metadata of an event are the same after JSON and MessagePack', () => {
  fc.assert(
    fc.property(events, fc.json(), (event, metadata) => {
      const { event_type: _, ...wanted } = event;
      const members = JSON.stringify(event).slice(0, -1);
      fc.pre(metadata !== 'null');
      const json = textsOf('json', Buffer.from(`${members},"metadata": ${metadata} }`));
      assert.deepEqual(json, { ...wanted, metadata });
      const packed = Buffer.from(packr.pack({ ...event, metadata }));
      assert.deepEqual(textsOf('msgpack', packed), { ...wanted, metadata });
    }),
    SETTINGS,
  );
});

/** An independent form of RFC 8785: sorted members, the rest as JSON.stringify prints it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

test('a MessagePack value has the canonical JSON text of RFC 8785', () => {
  const values = fc
    .jsonValue({ stringUnit: 'binary', maxDepth: 5 })
    .filter((value) => isWellFormed(JSON.stringify(value)));
  fc.assert(
    fc.property(values, (value) => {
      const packed = Buffer.from(packr.pack(value));
      assert.equal(canonicalJson(packed, 0).toString(), canonical(value));
    }),
    SETTINGS,
  );
});

test('a number is read as it was printed', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = Buffer.from(printNumber(value));
      assert.equal(printNumber(value), JSON.stringify(value));
      assert.equal(parseNumber(text, 0, text.length), value + 0);
    }),
    SETTINGS,
  );
});

test('a time is read as it was printed, and as Date prints it', () => {
  fc.assert(
    fc.property(fc.integer({ min: FIRST_MS, max: LAST_MS }), (ms) => {
      assert.equal(formatTimestamp(ms), new Date(ms).toISOString());
      assert.equal(parseTimestamp(formatTimestamp(ms)), ms);
    }),
    SETTINGS,
  );
});

test('a text is the same after JSON, percent-encoding, a topic and a file name', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const token = Buffer.from(JSON.stringify(text).slice(1, -1));
      assert.equal(decodeString(token, 0, token.length), text);
      assert.equal(percentDecode(encodeURIComponent(text), false), text);
      assert.equal(percentDecode(new URLSearchParams({ a: text }).toString().slice(2), true), text);
      const topic = parseTopic(`session:${encodeURIComponent(text)}`);
      assert.equal(topic?.kind === 'session' && topic.sessionId, text);
      const [, encoded] = /filename\*=UTF-8''(.*)$/.exec(disposition(text, 'text/plain')) ?? [];
      if (encoded !== undefined) assert.equal(decodeURIComponent(encoded), text);
    }),
    SETTINGS,
  );
});
