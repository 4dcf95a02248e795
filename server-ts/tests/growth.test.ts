/**
 * Tests each table that grows, at every size up to several growths: what it holds does not depend on when it grew.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buffers } from '../src/buffers.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { FIELD } from '../src/field.ts';
import { canonicalJson } from '../src/formats/canonical.ts';
import { loadFormat, readBatch } from '../src/formats/index.ts';
import { packJson } from '../src/rpc/pack.ts';
import { Lines } from '../src/store/exports.ts';
import { KeyGroup, KeyTail } from '../src/store/key-tail.ts';
import { Texts } from '../src/telemetry/index.ts';

const MOST = 600;

function sizes(most = MOST): number[] {
  return Array.from({ length: most + 1 }, (_, size) => size);
}

test('the last item of a table of events is as it was added, at every size', () => {
  const additions = [
    { name: 'not JSON', add: (raw: RawEvents) => raw.addNotJson(), isJson: false },
    {
      name: 'JSON, then not JSON',
      add: (raw: RawEvents) => {
        raw.put(raw.add(), 'session_id', 1, 2);
        raw.setNotJson();
      },
      isJson: false,
    },
    { name: 'JSON', add: (raw: RawEvents) => raw.put(raw.add(), 'session_id', 1, 2), isJson: true },
  ];
  for (const { name, add, isJson } of additions) {
    const raw = new RawEvents();
    for (const size of sizes()) {
      add(raw);
      assert.equal(raw.count, size + 1);
      assert.equal(raw.isJson(size), isJson, `${name} after ${size} items`);
      const span = raw.spans[raw.at(size) + FIELD.session_id.span];
      assert.equal(span, isJson ? 1 : 0, `${name} after ${size} items`);
    }
    for (const index of sizes()) assert.equal(raw.isJson(index), isJson, `${name}, item ${index} at the end`);
  }
});

test('a reused table of events holds nothing of its previous items, at every size', () => {
  const raw = new RawEvents();
  for (const size of sizes()) {
    for (let item = 0; item < size; item++) raw.addNotJson();
    raw.clear();
    for (let item = 0; item < size; item++) raw.add();
    for (let item = 0; item < size; item++) assert.ok(raw.isJson(item), `item ${item} of ${size}`);
    raw.clear();
  }
});

test('the texts outside a body stay, at every number and length', () => {
  for (const length of [1, 7, 100, 5_000]) {
    const buffers = new Buffers();
    const table = new EventTable(buffers.bytes(1), 1, buffers);
    const text = (n: number): string => String.fromCharCode(0x61 + (n % 26)).repeat(length);
    const first = { at: 0, start: 0, end: 0 };
    for (const n of sizes(length > 100 ? 60 : MOST)) {
      table.putText(0, text(n));
      assert.equal(table.textAt(0), text(n), `text ${n} of ${length} bytes`);
      if (n === 0) [first.start, first.end] = [table.ints[0]!, table.ints[1]!];
    }
    [table.ints[0], table.ints[1]] = [first.start, first.end];
    assert.equal(table.textAt(0), text(0), `the first text of ${length} bytes at the end`);
  }
});

/** Returns a MessagePack map of `size` members, the last name first, whose values are texts of `length` bytes. */
function mapOf(size: number, length: number): { readonly bytes: Buffer; readonly json: string } {
  const names = sizes(size)
    .slice(0, size)
    .map((n) => `k${String(n).padStart(4, '0')}`);
  const value = '"'.repeat(length);
  const member = (name: string): Buffer =>
    Buffer.concat([
      Buffer.of(0xa0 | name.length),
      Buffer.from(name),
      Buffer.of(0xd9, length),
      Buffer.from(value),
    ]);
  const bytes = Buffer.concat([Buffer.of(0xde, size >> 8, size & 0xff), ...names.toReversed().map(member)]);
  return { bytes, json: JSON.stringify(Object.fromEntries(names.map((name) => [name, value]))) };
}

test('a canonical map has all members in order, at every number of members', () => {
  for (const size of sizes(300)) {
    for (const length of [0, 40]) {
      const { bytes, json } = mapOf(size, length);
      assert.equal(canonicalJson(bytes, 0).toString(), json, `${size} members of ${length} bytes`);
    }
  }
});

test('a text becomes MessagePack and is complete, at every length and number of elements', () => {
  for (const size of sizes()) {
    const numbers = packJson(Buffer.from(JSON.stringify(Array(size).fill(0.5))));
    const head = size < 16 ? 1 : 3;
    assert.equal(numbers.length, head + 9 * size, `${size} numbers`);
    for (let at = 0; at < size; at++) assert.equal(numbers.readDoubleBE(head + 9 * at + 1), 0.5);
  }
});

test('a set of keys finds each key and no other, at every size', () => {
  const tail = new KeyTail();
  const group = new KeyGroup();
  const key = (n: number): Uint32Array => Uint32Array.of(Math.imul(n, 0x9e37_79b1), n, 0, n);
  let checked = 0;
  for (const size of sizes(4_200)) {
    assert.ok(tail.insert(key(size)), `key ${size} is new`);
    assert.ok(!tail.insert(key(size)), `key ${size} is there`);
    assert.ok(!tail.has(key(size + 1)), `key ${size + 1} is not there`);
    group.push(key(size));
    if ((size & (size - 1)) !== 0) continue;
    for (let n = 0; n <= size; n++) assert.ok(tail.has(key(n)), `key ${n} of ${size}`);
    checked++;
  }
  assert.ok(checked > 10);
  assert.equal(tail.drain().length, 4_201 * 4);
  const taken = group.take();
  for (const n of sizes(4_200)) assert.equal(taken.readUInt32BE(n * 16 + 4), n);
});

test('the tokens of a batch in MessagePack are its values, at every number of events', async () => {
  await loadFormat('msgpack');
  for (const size of sizes(300)) {
    const event = Buffer.concat([
      Buffer.of(0x81, 0xaa),
      Buffer.from('session_id'),
      Buffer.of(0xa3),
      Buffer.from('a"b'),
    ]);
    const head = Buffer.concat([
      Buffer.of(0x81, 0xa6),
      Buffer.from('events'),
      Buffer.of(0xdc, size >> 8, size & 0xff),
    ]);
    const raw = new RawEvents();
    const reading = readBatch(
      'msgpack',
      Buffer.concat([head, ...Array<Buffer>(size).fill(event)]),
      raw,
      MOST,
      new Buffers(),
    );
    let step = reading.next();
    while (!step.done) step = reading.next();
    assert.equal(raw.count, size);
    for (let item = 0; item < size; item++) {
      const at = raw.at(item) + FIELD.session_id.span;
      const text: string = step.value.body.toString('utf8', raw.spans[at], raw.spans[at + 1]);
      assert.equal(text, '"a"b"', `event ${item} of ${size}`);
    }
  }
});

test('the lines of an export and of telemetry are complete, at every number and length', () => {
  for (const length of [1, 100, 10_000]) {
    // Each character takes two bytes.
    const line = (n: number): string => `${n} ${'ä'.repeat(length)}`;
    for (const size of sizes(length === 10_000 ? 40 : 300)) {
      const all = sizes(size).map(line);
      const [exported, received] = [new Lines(), new Texts(new Buffers())];
      for (const text of all) {
        exported.push(`${text}\n`);
        received.add(`${text}\n`);
      }
      const expected = `${all.join('\n')}\n`;
      assert.equal(Buffer.from(exported.finish()).toString(), expected, `${size} lines of an export`);
      assert.equal(received.finish().toString(), expected, `${size} lines of telemetry`);
    }
  }
});
