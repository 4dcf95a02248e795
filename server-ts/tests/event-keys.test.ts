import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Connection, openConnection } from '../src/store/connection.ts';
import { EventKeys } from '../src/store/event-keys.ts';
import { KeyFilter, KeyHash } from '../src/store/key-filter.ts';
import { KeyTail } from '../src/store/key-tail.ts';
import { createSchema } from '../src/store/schema.ts';

const GROUP = 3000;
let folder = '';
let db: Connection;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-keys-'));
  const path = join(folder, 'events.db');
  writeFileSync(path, '');
  db = openConnection({ path, durability: 'process', nativeBinding: undefined });
  createSchema(db);
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a key. Keys are spread like random ids, and equal in each run and in both servers. */
function key(n: number): Buffer {
  const value = (BigInt(n + 1) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835n) & ((1n << 128n) - 1n);
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex');
}

function words(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: 4 }, (_, word) => bytes.readUInt32BE(word * 4));
}

function hashOf(bytes: Buffer): KeyHash {
  const hash = new KeyHash();
  const [w0, w1, w2, w3] = words(bytes) as unknown as [number, number, number, number];
  hash.set(w0, w1, w2, w3);
  return hash;
}

function count(sql: string): number {
  return Number(db.prepare(sql).pluck().get());
}

test('a key is accepted once through runs, merges and restarts', () => {
  let keys = new EventKeys(db);
  let merged = false;
  for (let group = 0; group < 100; group++) {
    const first = group * GROUP;
    db.transaction(() => {
      for (let n = first; n < first + GROUP; n++) assert.ok(keys.insert(key(n)), `${n} is new`);
      for (let n = 0; n < first + GROUP; n += 997) assert.ok(!keys.insert(key(n)), `${n} is a duplicate`);
      keys.settle(GROUP, first + GROUP);
    })();
    merged ||= count("SELECT count(*) FROM event_key_runs WHERE level > 0 AND state = 'live'") > 0;
    // Simulates a crash: the memory of a merge is lost.
    if (group % 13 === 12) keys = new EventKeys(db);
  }
  assert.ok(merged, 'at least one merge came to its end');
  for (let n = 0; n < 100 * GROUP; n++) assert.ok(!keys.insert(key(n)), `${n} is a duplicate`);
  assert.ok(count("SELECT count(*) FROM event_key_runs WHERE state = 'live'") < 20);
  // Keys in live runs are deleted from the tail, some with each group.
  const tail = count('SELECT sum(length(keys)) / 16 FROM event_key_tail');
  assert.ok(tail < 3 * 16_384, `${tail} keys in the tail`);
});

test('a group that was rolled back leaves no trace', () => {
  const keys = new EventKeys(db);
  // Number of keys that suffices for a run, so that the rollback also undoes the run.
  const many = 20_000;
  db.exec('BEGIN IMMEDIATE');
  for (let n = 0; n < many; n++) assert.ok(keys.insert(key(n)));
  keys.settle(many, many);
  db.exec('ROLLBACK');
  keys.forget();
  assert.equal(count('SELECT count(*) FROM event_key_blocks'), 0);
  assert.equal(count('SELECT count(*) FROM event_key_tail'), 0);
  for (let n = 0; n < many; n++) assert.ok(keys.insert(key(n)), `${n} is new again`);
});

test('the filter finds its keys and few others, and has the same bytes in both servers', () => {
  const filter = KeyFilter.forKeys(10_000);
  for (let n = 0; n < 10_000; n++) filter.insert(hashOf(key(n)));
  const again = KeyFilter.fromBytes(filter.toBytes());
  let wrong = 0;
  for (let n = 0; n < 110_000; n++) {
    const found = again?.mayContain(hashOf(key(n)));
    if (n < 10_000) assert.ok(found);
    else if (found) wrong++;
  }
  assert.ok(wrong < 500, `${wrong} of 100,000`);
  assert.equal(KeyFilter.fromBytes(Buffer.alloc(31)), undefined);
  assert.equal(KeyFilter.fromBytes(Buffer.alloc(0)), undefined);
});

test('the tail returns each key once, in ascending order', () => {
  const patterns = {
    random: key,
    counting: (n: number) => Buffer.from(n.toString(16).padStart(32, '0'), 'hex'),
    counted_in_the_middle: (n: number) =>
      Buffer.from(n.toString(16).padStart(16, '0').padEnd(32, '0'), 'hex'),
    counted_above: (n: number) => Buffer.from(n.toString(16).padStart(8, '0').padEnd(32, '0'), 'hex'),
  };
  for (const [name, pattern] of Object.entries(patterns)) {
    const tail = new KeyTail();
    const all = Array.from({ length: 5000 }, (_, n) => pattern(n * 7));
    for (const one of all) assert.ok(tail.insert(words(one)));
    for (const one of all) assert.ok(tail.has(words(one)) && !tail.insert(words(one)), name);
    assert.ok(!tail.has(words(pattern(1))));
    const bytes = Buffer.from(tail.drain().buffer).swap32().toString('hex');
    const drained = bytes.match(/.{32}/g);
    assert.deepEqual(drained, all.map((one) => one.toString('hex')).sort(), name);
    assert.equal(tail.size, 0);
    assert.ok(!tail.has(words(all[0]!)));
  }
});
