/** Tests that a message keeps an event, and that other messages are no events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../buffers.ts';
import { EventTable, RawEvents } from '../event.ts';
import { FIELD, FIELD_SPECS, INT_WIDTH, TRUNCATED, WAIT } from '../field.ts';
import { scanEvent } from '../json.ts';
import { validator } from '../validate.ts';
import { DISMISSAL, NO_CHANGE, WAIT_CHANGES, waitLabel, waitOf } from '../waits.ts';
import { readMessages, writeMessage } from './message.ts';

const buffers = new Buffers();

function tableOf(text: string): EventTable {
  const body = Buffer.from(text);
  const raw = new RawEvents();
  assert.ok(scanEvent(body, raw));
  const table = new EventTable(body, 1, buffers);
  assert.equal(validator(raw, table, 10_240)(0), undefined);
  return table;
}

function valuesOf(table: EventTable): unknown[] {
  return FIELD_SPECS.map(({ kind, column }) => {
    if (kind === 'text' || kind === 'json') return table.textAt(column);
    return kind === 'choice' ? table.ints[column] : table.numbers[column];
  });
}

test('a message keeps every field', () => {
  const nested = `${'['.repeat(126)}${']'.repeat(126)}`;
  const metadata = `{ "a" :\r\n1.50, "b":"\\ud800","c":${nested}}`;
  const sent = tableOf(
    `{"session_id":" s\\u000a\\"é","agent_type":"a","event_type":"error","event_id":"x\\r\\ny","cost_usd":0.000000001,"duration_ms":0,"tokens_in":9007199254740991,"client_timestamp":"2026-11-27T13:00:00.123456+01:00","source":"otel","metadata":${metadata}}`,
  );
  const { payload, key } = writeMessage(sent, 0);
  const { table } = readMessages([{ payload, wait: undefined, isTruncated: false }], buffers);
  assert.ok(table !== undefined);
  assert.deepEqual(valuesOf(table), valuesOf(sent));
  assert.equal(key?.length, 32);
});

test('every change to waits has a label of its own effect', () => {
  for (let index = DISMISSAL; index < WAIT_CHANGES.length; index++) {
    const found = waitOf(waitLabel(index));
    assert.deepEqual(WAIT_CHANGES[found], WAIT_CHANGES[index]);
    assert.equal(found === DISMISSAL, index === DISMISSAL);
    assert.notEqual(found, NO_CHANGE);
  }
  assert.equal(waitOf('unknown'), NO_CHANGE);
});

test('other messages have no row among those of the events', () => {
  const fields = '{"session_id":"s","agent_type":"a","event_type":"error"}';
  const texts = ['', 'x', fields, `${fields}\n`, `${fields}\n{}{}`, '{}\n{}', '[]\n{}', '\n{}'];
  const bad = [...texts, Buffer.from([0xff, 0x0a, 0x7b, 0x7d])].map((text) => Buffer.from(text));
  const received = (payload: Buffer, index: number) => ({
    payload,
    wait: index === 1 ? waitLabel(DISMISSAL) : undefined,
    isTruncated: index === 1,
  });
  assert.deepEqual(readMessages(bad.map(received), buffers), { table: undefined, indexes: [] });
  const first = Buffer.from(`{"session_id":"first",${fields.slice(18)}\n{"a":1}`);
  const mixed = [first, Buffer.from(`${fields}\n{}`), ...bad, Buffer.from(`${fields}\n[2]`)];
  const { table, indexes } = readMessages(mixed.map(received), buffers);
  assert.deepEqual(indexes, [0, 1, mixed.length - 1]);
  const rows = indexes.map((_, row) => row * INT_WIDTH);
  assert.deepEqual(
    rows.map((int) => [
      table!.textAt(int + FIELD.session_id.column),
      table!.textAt(int + FIELD.metadata.column),
    ]),
    [
      ['first', '{"a":1}'],
      ['s', '{}'],
      ['s', '[2]'],
    ],
  );
  assert.deepEqual(
    rows.map((int) => [table!.ints[int + TRUNCATED], table!.ints[int + WAIT]]),
    [
      [0, NO_CHANGE],
      [1, DISMISSAL],
      [0, NO_CHANGE],
    ],
  );
});
