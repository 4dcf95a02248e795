import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FLAGS } from '../src/contract/flags.ts';
import {
  LIMITS,
  PRAGMAS,
  REPORTED_PRAGMAS,
  ROUTES,
  SCHEMA,
  SCHEMA_SQL,
  VOCABULARY,
} from '../src/contract.ts';
import { FIELDS } from '../src/field.ts';
import { HOOK_PATHS } from '../src/hooks.ts';
import { LOADS, QUERIES } from '../src/queries.ts';
import { inOrder } from '../src/store/connection.ts';
import { COMMON_TOPICS } from '../src/topics.ts';

const CONTRACT = new URL('../../contract/', import.meta.url);

test('a message of a stream may have the largest attachment that a server can be set to take', () => {
  assert.equal(LIMITS.largest_attachment_bytes, FLAGS.maxAttachmentBytes.maximum);
});

test('every statement and the schema are embedded', () => {
  const named = readdirSync(new URL('queries/', CONTRACT)).map((file) => camelCase(file.replace('.sql', '')));
  assert.deepEqual(Object.keys(QUERIES).sort(), named.sort());
  assert.deepEqual(readdirSync(new URL('migrations/', CONTRACT)), ['0001_init.sql']);
  assert.equal(readFileSync(new URL('migrations/0001_init.sql', CONTRACT), 'utf8'), SCHEMA_SQL);
});

test('every load file is embedded with the number in its name, at most that of the schema', () => {
  const files = readdirSync(new URL('loads/', CONTRACT)).sort();
  const texts = files.map((file) => [
    Number(file.slice(0, 4)),
    readFileSync(new URL(`loads/${file}`, CONTRACT), 'utf8'),
  ]);
  assert.deepEqual(LOADS, texts);
  for (const [number] of LOADS) assert.ok(number <= SCHEMA.number);
});

test('every pragma of the contract is reported', () => {
  const set = PRAGMAS.split('PRAGMA ').length - 1;
  assert.equal(REPORTED_PRAGMAS.length, set + 2);
  assert.equal(REPORTED_PRAGMAS[0], 'journal_mode');
  assert.deepEqual(REPORTED_PRAGMAS.slice(set), ['synchronous', 'page_size']);
});

test('the fields of an event match its schema', () => {
  const schema = JSON.parse(readFileSync(new URL('event.schema.json', CONTRACT), 'utf8')) as {
    properties: Record<string, unknown>;
  };
  assert.deepEqual([...FIELDS], Object.keys(schema.properties));
});

test('the common topics match the vocabulary', () => {
  assert.deepEqual([...COMMON_TOPICS], VOCABULARY.topics);
});

test('every hook mapping has a route', () => {
  assert.deepEqual(
    ROUTES.map(({ path }) => path).filter((path) => path.startsWith('/api/hooks/')),
    HOOK_PATHS,
  );
});

test('statements with positional values have their parameters in order', () => {
  for (const sql of [
    QUERIES.insertEvent,
    QUERIES.updateEventKeyRun,
    QUERIES.upsertStats,
    QUERIES.upsertEventBlock,
  ]) {
    assert.doesNotThrow(() => inOrder(sql));
  }
  assert.throws(() => inOrder('SELECT ?2, ?1'));
  assert.throws(() => inOrder('SELECT ?1, ?1'));
});

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
