/** Tests that a message keeps an event, and that other messages are no events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../buffers.ts';
import { EventTable, RawEvents } from '../event.ts';
import { FIELD_SPECS } from '../field.ts';
import { scanEvent } from '../json.ts';
import { validator } from '../validate.ts';
import { DISMISSAL, NO_CHANGE, WAIT_CHANGES, waitLabel, waitOf } from '../waits.ts';
import { readMessage, writeMessage } from './message.ts';

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
  const read = readMessage(payload, undefined, false, buffers);
  assert.ok(read !== undefined);
  assert.deepEqual(valuesOf(read), valuesOf(sent));
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

test('other messages are no events', () => {
  const fields = '{"session_id":"s","agent_type":"a","event_type":"error"}';
  const read = (text: string | Buffer): unknown => readMessage(Buffer.from(text), undefined, false, buffers);
  assert.ok(read(`${fields}\n{}`) !== undefined);
  const bad = ['', 'x', fields, `${fields}\n`, `${fields}\n{}{}`, '{}\n{}', '[]\n{}', '\n{}'];
  for (const text of [...bad, Buffer.from([0xff, 0x0a, 0x7b, 0x7d])]) assert.equal(read(text), undefined);
});
