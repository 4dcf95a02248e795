import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  CONFIG_SPEC,
  HOOK_FILES,
  MIGRATIONS,
  PARAMETERS,
  PRAGMAS,
  REPORTED_PRAGMAS,
  ROUTES,
  SCHEMA_VERSION,
  VOCABULARY,
} from '../src/contract.ts';
import { ERROR_CODES } from '../src/error.ts';
import { FIELDS } from '../src/field.ts';
import { QUERIES } from '../src/queries.ts';
import { inOrder } from '../src/store/connection.ts';
import { CONSEQUENCES } from '../src/store/failure.ts';
import { COMMON_TOPICS } from '../src/topics.ts';

const CONTRACT = new URL('../../contract/', import.meta.url);

test('error codes match the vocabulary', () => {
  assert.deepEqual([...ERROR_CODES], Object.keys(VOCABULARY.errors));
  for (const code of Object.keys(CONSEQUENCES)) assert.ok(code in VOCABULARY.errors, code);
});

test('every statement and every migration is embedded', () => {
  const named = readdirSync(new URL('queries/', CONTRACT)).map((file) => camelCase(file.replace('.sql', '')));
  assert.deepEqual(Object.keys(QUERIES).sort(), named.sort());
  const migrations = readdirSync(new URL('migrations/', CONTRACT)).sort();
  const steps = migrations.map((file) => readFileSync(new URL(`migrations/${file}`, CONTRACT), 'utf8'));
  assert.deepEqual(MIGRATIONS, steps);
  assert.equal(SCHEMA_VERSION, steps.length);
});

test('every pragma of the contract is reported', () => {
  const set = PRAGMAS.split('PRAGMA ').length - 1;
  assert.equal(REPORTED_PRAGMAS.length, set + 2);
  assert.equal(REPORTED_PRAGMAS[0], 'journal_mode');
  assert.deepEqual(REPORTED_PRAGMAS.slice(set), ['synchronous', 'page_size']);
});

test('routes name existing parameters', () => {
  for (const route of ROUTES) for (const key of route.parameters) assert.ok(key in PARAMETERS, key);
});

test('config.ts handles every option of config.json', () => {
  for (const option of CONFIG_SPEC.options) {
    assert.ok(['text', 'integer', 'choice', 'list', 'switch'].includes(option.type), option.name);
    if (option.at_least !== undefined) {
      assert.ok(CONFIG_SPEC.options.some(({ name }) => name === option.at_least));
    }
  }
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

test('every word of the hook mappings is in the vocabulary', () => {
  for (const { source, hooks, other, fields } of Object.values(HOOK_FILES)) {
    assert.ok(VOCABULARY.sources.includes(source));
    for (const { event_type, status } of [...Object.values(hooks), other]) {
      assert.ok(VOCABULARY.event_types.includes(event_type), event_type);
      assert.ok(status === undefined || VOCABULARY.statuses.includes(status), status);
    }
    for (const { field } of fields)
      assert.ok(
        FIELDS.some((name) => name === field),
        field,
      );
    // The server cannot store an event without a session.
    const session = fields.find(({ field }) => field === 'session_id');
    assert.equal(session?.default, 'unknown');
  }
});

test('every hook mapping has a route', () => {
  const paths = Object.keys(HOOK_FILES).map((name) => `/api/hooks/${name}`);
  assert.deepEqual(
    ROUTES.map(({ path }) => path).filter((path) => path.startsWith('/api/hooks/')),
    paths,
  );
});

test('statements with positional values have their parameters in order', () => {
  for (const sql of [
    QUERIES.insertEvent,
    QUERIES.updateEventKeyRun,
    QUERIES.upsertStats,
    QUERIES.upsertHour,
  ]) {
    assert.doesNotThrow(() => inOrder(sql));
  }
  assert.throws(() => inOrder('SELECT ?2, ?1'));
  assert.throws(() => inOrder('SELECT ?1, ?1'));
});

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
