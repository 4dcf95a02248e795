/**
 * Properties of the decoders: any bytes give a value or a stable error code, and nothing else is thrown (decision 95).
 *
 * A counterexample becomes a parity case, so that both servers keep it.
 */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { Buffers } from '../src/buffers.ts';
import { LIMITS } from '../src/contract.ts';
import { ERROR_CODES, Failure } from '../src/error.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { FIELD, FIELDS } from '../src/field.ts';
import { type Format, loadFormat, readBatch, readEvent } from '../src/formats/index.ts';
import { mappingOf, readHook } from '../src/hooks.ts';
import { attachmentName, disposition, mediaType } from '../src/http/attachment-names.ts';
import { declaredDigest } from '../src/http/content-digest.ts';
import { parseRange } from '../src/http/range.ts';
import { scanEvent } from '../src/json.ts';
import { PriceProblem, parsePrices } from '../src/prices.ts';
import { parseRedaction } from '../src/redact/rules.ts';
import { readCalls } from '../src/rpc/index.ts';
import { readTelemetry } from '../src/telemetry/index.ts';
import { requestOf } from '../src/telemetry/otlp.ts';
import { parseTimestamp } from '../src/timestamp.ts';
import { parseTopics } from '../src/topics.ts';
import { validator } from '../src/validate.ts';
import { bodies, SETTINGS } from './arbitrary-bodies.ts';

const FORMATS = ['json', 'ndjson', 'msgpack', 'protobuf'] as const satisfies readonly Format[];
const MOST_ITEMS = 10;
const METADATA_BYTES = 256;
const FIELD_NAMES: readonly string[] = [...FIELDS, 'body'];

await Promise.all(FORMATS.map((format) => loadFormat(format)));

/** Returns what the decoder returns; `undefined` after an error with a code for clients. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.ok(ERROR_CODES.includes(error.code) && error.code !== 'internal', error.code);
    return undefined;
  }
}

function finish<T>(steps: Generator<unknown, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Reads every item as an event. Each has problems of known fields, or metadata that is JSON. */
function validateAll(body: Buffer, raw: RawEvents, buffers: Buffers): void {
  const table = new EventTable(body, Math.max(raw.count, 1), buffers);
  const validate = validator(raw, table, METADATA_BYTES);
  for (let index = 0; index < raw.count; index += 1) {
    const row = table.count;
    for (const { field } of validate(index) ?? []) assert.ok(FIELD_NAMES.includes(field), field);
    if (table.count > row) JSON.parse(metadataAt(table));
  }
}

function metadataAt(table: EventTable): string {
  const { column } = FIELD.metadata;
  return table.ints[column] === table.ints[column + 1] ? '{}' : table.textAt(column);
}

/** Fewer accepted or refused bodies mean that the properties try little. */
const LEAST_OF_EACH = 5;

test('the generator makes bodies that each decoder accepts, and others that it refuses', () => {
  const sample = fc.sample(bodies, { ...SETTINGS, numRuns: 2_000 });
  for (const format of FORMATS) {
    const read = (body: Buffer) =>
      finish(readBatch(format, body, new RawEvents(), MOST_ITEMS, new Buffers()));
    const accepted = sample.filter((body) => decoded(() => read(body)) !== undefined).length;
    const [least, most] = [LEAST_OF_EACH, sample.length - LEAST_OF_EACH];
    assert.ok(accepted >= least && (format === 'ndjson' || accepted <= most), `${format}: ${accepted}`);
  }
});

for (const format of FORMATS)
  test(`${format}: any bytes are an event or batch, or an error with a code`, () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const buffers = new Buffers();
        const single = new RawEvents();
        const text = decoded(() => readEvent(format, body, single, buffers));
        if (text !== undefined) validateAll(text, single, buffers);
        const raw = new RawEvents();
        const batch = decoded(() => finish(readBatch(format, body, raw, MOST_ITEMS, buffers)));
        if (batch !== undefined) validateAll(batch.body, raw, buffers);
      }),
      SETTINGS,
    );
  });

test('hooks: any object is one event', () => {
  fc.assert(
    fc.property(bodies, fc.constantFrom('claude-code', 'codex'), (body, agent) => {
      const raw = new RawEvents();
      if (!isUtf8(body) || !scanEvent(body, raw)) return;
      const table = new EventTable(body, 1, new Buffers());
      const problems = readHook(mappingOf(`/api/hooks/${agent}`), raw, table, METADATA_BYTES);
      assert.equal(table.count, problems === undefined ? 1 : 0);
    }),
    SETTINGS,
  );
});

for (const format of ['json', 'protobuf'] as const)
  test(`telemetry in ${format}: any bytes are events with JSON, or an error with a code`, () => {
    fc.assert(
      fc.property(bodies, fc.constantFrom('logs', 'metrics', 'traces'), (body, signal) => {
        const request = requestOf(`/v1/${signal}`);
        const found = decoded(() => finish(readTelemetry(request, format, body, MOST_ITEMS, new Buffers())));
        for (const { start, end } of found?.events ?? [])
          JSON.parse(found!.metadata.toString('utf8', start, end));
      }),
      SETTINGS,
    );
  });

for (const format of ['json', 'msgpack'] as const)
  test(`typed calls in ${format}: any bytes are calls`, () => {
    fc.assert(
      fc.property(bodies, fc.boolean(), (body, hasBench) => {
        const { calls } = readCalls(body, format, { hasBench, keepsMinusZero: format === 'msgpack' });
        assert.ok(calls.length <= LIMITS.rpc_batch_calls);
        for (const { id } of calls) if (id !== undefined) JSON.parse(id);
      }),
      SETTINGS,
    );
  });

test('files of prices and of redaction: any text is rules or named problems', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const text = body.toString();
      try {
        parsePrices(text);
      } catch (error) {
        assert.ok(error instanceof PriceProblem, String(error));
      }
      parseRedaction(text);
    }),
    SETTINGS,
  );
});

test('texts of heads: any text is a value or an error with a code', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.mixedCase(
      fc.constantFrom('bytes=0-', 'text/plain; a=b', 'sha-256=:AA==:, md5=:AA==:', 'session:a%20b,stats'),
    ),
  );
  fc.assert(
    fc.property(texts, fc.nat(1_000), (text, size) => {
      const headers = new Map([
        ['content-type', [text]],
        ['content-digest', [text]],
      ]);
      const name = decoded(() => attachmentName(text));
      const type = decoded(() => mediaType({ headers }));
      if (name !== undefined) assert.match(disposition(name, type ?? 'text/plain'), /^[ -~]+$/);
      decoded(() => declaredDigest({ headers }));
      const part = parseRange(text, size);
      if (typeof part === 'object')
        assert.ok(part.first <= part.last && part.last < size, JSON.stringify(part));
      parseTopics(text);
      parseTimestamp(text);
    }),
    SETTINGS,
  );
});
