/** Tests the fields of the contract: faults that the check reports, and the effect of a new field. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { checkFields, type Surroundings } from '../checks/fields.ts';
import type { FieldSpec, Fields } from '../contract/fields.ts';
import type { JsonObject } from '../contract-facts.ts';
import { generate, isCurrent } from '../update-contract.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT: FieldSpec = {
  kind: 'text',
  trimmed: true,
  bytes: 9,
  default: null,
  column: 'colour',
  sql: 'INTEGER',
  dictionary: true,
  since: '1.0.0',
  protobuf: 1,
  arrow: 'dictionary',
};
const KIND: FieldSpec = {
  kind: 'choice',
  values: 'kinds',
  default: 'a',
  column: 'kind',
  sql: 'INTEGER NOT NULL',
  dictionary: true,
  since: '1.0.0',
  protobuf: 2,
  arrow: 'dictionary',
};
const FIELDS: Fields = {
  about: '',
  fields: { colour: TEXT, kind: KIND },
  server_columns: { id: { kind: 'integer', column: 'id', sql: 'INTEGER', protobuf: 3, arrow: 'int64' } },
  row: ['id', 'colour', 'kind'],
  filters: ['kind', 'colour'],
};
const AROUND: Surroundings = {
  schema: `CREATE TABLE events (id INTEGER PRIMARY KEY, colour INTEGER, kind INTEGER NOT NULL);
    CREATE VIEW events_readable AS SELECT id, colour, kind FROM events;`,
  rules: 'An event has `colour` and `kind`.',
  words: { kinds: ['a', 'b'] },
  version: '1.1.0',
};

test('fields that agree with everything have no problem', () => {
  assert.deepEqual(checkFields(FIELDS, AROUND), []);
});

function withColour(change: Partial<FieldSpec>): Fields {
  return { ...FIELDS, fields: { ...FIELDS.fields, colour: { ...TEXT, ...change } } };
}

const WRONG: readonly (readonly [string, Fields, Partial<typeof AROUND>])[] = [
  ['no rule names colour', FIELDS, { rules: 'An event has `kind`.' }],
  ['colour is required or has a default, one of both', withColour({ required: true }), {}],
  ['protobuf number 2 is taken twice', withColour({ protobuf: 2 }), {}],
  ['colour has the protobuf number 19000', withColour({ protobuf: 19_000 }), {}],
  ['colour has no Arrow type of its kind: int64', withColour({ arrow: 'int64' }), {}],
  ['colour is a dictionary in its column alone', withColour({ arrow: 'utf8' }), {}],
  ['colour is there since 1.10.0, after 1.1.0', withColour({ since: '1.10.0' }), {}],
  ['the default of kind is no word', FIELDS, { words: { kinds: ['b'] } }],
  ['kind has no list of words', FIELDS, { words: {} }],
  ['the column colour is INTEGER, not TEXT', withColour({ sql: 'TEXT' }), {}],
  ['the filter id is no text and no choice', { ...FIELDS, filters: ['id'] }, {}],
  ['the row has colour twice', { ...FIELDS, row: ['id', 'colour', 'kind', 'colour'] }, {}],
  [
    'the view events_readable has other columns than the row, or another order',
    { ...FIELDS, row: ['colour', 'id', 'kind'] },
    {},
  ],
];

for (const [problem, fields, change] of WRONG) {
  test(`the check reports: ${problem}`, () => {
    const problems = checkFields(fields, { ...AROUND, ...change });
    assert.ok(problems.includes(`contract/fields.json: ${problem}`), problems.join('\n'));
  });
}

/** Generated files that do not depend on the fields, but on other files of the contract. */
const STEADY =
  /\/(agents\.json|agent-texts\.json|connect\.json|schema\.json|queries\.(rs|ts)|rpc-methods\.ts|contract\/(?:errors|flags|limits|metrics|vocabulary)\.(rs|ts))$/;

/** Returns whether a generated file depends on the figures and not on the fields. */
function isOfFigures(content: unknown): boolean {
  const text = String(content);
  return text.includes('contract/figures.json') && !text.includes('contract/fields.json');
}

test('a new field makes exactly the generated files stale', async () => {
  await inTree({}, async (root) => {
    for (const { path } of generate(ROOT)) cpSync(join(ROOT, path), join(root, path));
    cpSync(join(ROOT, 'contract'), join(root, 'contract'), { recursive: true });
    assert.deepEqual(stale(root), []);
    const file = join(root, 'contract/fields.json');
    const fields = JSON.parse(readFileSync(file, 'utf8'));
    fields.fields.colour = TEXT;
    fields.row.push('colour');
    fields.filters.push('colour');
    writeFileSync(file, JSON.stringify(fields));
    assert.deepEqual(
      stale(root),
      generate(ROOT)
        .filter(({ path, content }) => !STEADY.test(path) && !isOfFigures(content))
        .map(({ path }) => path),
    );
  });
});

test('an edit of the schema makes its number stale, and a comment does not', async () => {
  await inTree({}, async (root) => {
    for (const { path } of generate(ROOT)) cpSync(join(ROOT, path), join(root, path));
    cpSync(join(ROOT, 'contract'), join(root, 'contract'), { recursive: true });
    const file = join(root, 'contract/migrations/0001_init.sql');
    const schema = readFileSync(file, 'utf8');
    writeFileSync(file, `-- A comment.\n\n${schema}`);
    assert.deepEqual(stale(root), []);
    writeFileSync(file, schema.replace('kind TEXT NOT NULL', 'kind TEXT'));
    assert.deepEqual(stale(root), ['contract/schema.json']);
    const found = generate(root).find(({ path }) => path === 'contract/schema.json')?.content as JsonObject;
    const known = JSON.parse(readFileSync(join(root, 'contract/schema.json'), 'utf8')) as JsonObject;
    assert.equal(found.number, Number(known.number) + 1);
  });
});

function stale(root: string): string[] {
  return generate(root).flatMap((file) => (isCurrent(root, file) ? [] : file.path));
}
