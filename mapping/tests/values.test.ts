/** Tests paths, conditions, values and counters on small objects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applies, compileConditions } from '../src/condition.ts';
import { Counters } from '../src/counters.ts';
import { fieldOf, fieldValue } from '../src/field.ts';
import { compilePath, ObjectSource, type PathScope, valueAt, valuesAt } from '../src/path.ts';
import { Place } from '../src/problems.ts';
import { compileFields, lastSegment, putFields } from '../src/value.ts';

const SCOPE: PathScope = { ids: [], hasParent: true, hasEach: true };
const path = (text: string) => compilePath(text, new Place('', []), SCOPE);

function fieldsOf(record: object, rules: object, digits = false): object {
  const problems: string[] = [];
  const compiled = compileFields(rules, new Place('', problems), { ...SCOPE, hasState: true }, fieldOf);
  assert.deepEqual(problems, []);
  const fields = new Map();
  putFields(fields, compiled, { source: new ObjectSource(record as Record<string, unknown>), digits });
  return Object.fromEntries(fields);
}

test('a path goes into the objects of arrays', () => {
  const source = new ObjectSource({
    a: [{ b: 1 }, { c: 2 }, { b: null }, 'x'],
    d: { e: 'f', n: null },
    'g/h': 1,
    'i.j': 2,
    'k~': 3,
  });
  assert.deepEqual(valueAt(source, path('a/b')), [1]);
  assert.equal(valueAt(source, path('d/e')), 'f');
  for (const none of ['a/z', 'd/n', 'd/constructor', 'constructor', '__proto__', 'd/e/length', 'z/z'])
    assert.equal(valueAt(source, path(none)), undefined, none);
  assert.deepEqual(
    ['g~1h', 'i.j', 'k~0'].map((text) => valueAt(source, path(text))),
    [1, 2, 3],
  );
  assert.deepEqual(valuesAt(source, path('a/b')), [1]);
  assert.deepEqual(path('$parent/a/b'), { text: '$parent/a/b', key: '$parent/a', rest: ['b'] });
});

test('a condition holds for one of several values, and an object has no text', () => {
  const record = { list: [{ t: 'a' }, { t: 'b' }], flag: true, n: 1, text: 'x', object: { a: 1 }, nul: null };
  const holds = (match: object, unless: object = {}): boolean => {
    const conditions = compileConditions({ match, unless }, new Place('', []), SCOPE);
    return applies(conditions, new ObjectSource(record));
  };
  assert.ok(holds({ 'list/t': 'b' }) && holds({ flag: 'true', n: '1', text: ['y', 'x'] }));
  assert.ok(!holds({ 'list/t': 'c' }) && !holds({ flag: 'false' }) && !holds({ text: 'X' }));
  assert.ok(holds({ object: '*' }) && !holds({ object: '{"a":1}' }) && !holds({ list: '[object Object]' }));
  assert.ok(!holds({ nul: '*' }) && !holds({ none: '*' }));
  assert.ok(!holds({ n: '1' }, { text: 'x' }) && holds({ n: '1' }, { text: 'y', none: '*' }));
});

test('a value that breaks the rule of its field is absent, and an earlier one stays', () => {
  const record = { tokens: -1, cost: 2e6, tool: 'x'.repeat(257), model: ' m ', more: 9 };
  assert.deepEqual(
    fieldsOf(record, {
      tokens_in: 'tokens',
      cost_usd: 'cost',
      tool_name: { from: 'tool', default: 'long' },
      model: ['none', 'model', 'tool'],
      tokens_out: { sum: ['more'], less: ['more', 'more', 'tokens'] },
    }),
    { tool_name: 'long', model: 'm', tokens_out: 0 },
  );
  // The first that is there counts, even if the field cannot have it.
  assert.deepEqual(fieldsOf(record, { tokens_in: ['tokens', 'more'] }), {});
});

test('sums are exact, and take what is there', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const record = { most, one: 1, text: '5', half: 0.5 };
  const sum = (value: object, digits = false): unknown =>
    (fieldsOf(record, { tokens_in: value }, digits) as { tokens_in?: number }).tokens_in;
  assert.equal(sum({ sum: ['most', 'most', 'one'], less: ['most', 'one'] }), most);
  assert.equal(sum({ sum: ['most', 'one'] }), undefined);
  assert.equal(sum({ sum: ['one', 'none', 'half', 'text'] }), 1);
  assert.equal(sum({ sum: ['text', 'one'] }, true), 6);
  for (const base of ['none', 'half', 'text']) assert.equal(sum({ sum: [base, 'one'] }), undefined, base);
  assert.equal(sum({ sum: [['none', 'one']], less: [['none', 'most']] }), 0);
});

test('conditions restrict a value', () => {
  const status = { status: { constant: 'error', match: { code: '*' }, unless: { code: '200' } } };
  assert.deepEqual(
    [{ code: 500 }, { code: 200 }, {}].map((record) => fieldsOf(record, status)),
    [{ status: 'error' }, {}, {}],
  );
});

test('numbers have the value of their text', () => {
  const value = (name: string, given: unknown, digits: boolean) => fieldValue(fieldOf(name)!, given, digits);
  assert.equal(value('tokens_in', '007', true), 7);
  assert.equal(value('tokens_in', '7', false), undefined);
  assert.equal(value('tokens_in', 2n ** 60n, true), undefined);
  assert.ok(Object.is(value('tokens_in', -0, false), 0));
  for (const none of ['-1', '1.5', ' 1', '', '9'.repeat(20)])
    assert.equal(value('tokens_in', none, true), undefined, none);
  assert.equal(value('cost_usd', '2', true), 2);
});

test('the last segment of a path is the text behind its last separator', () => {
  for (const [text, segment] of [
    ['/home/u/app', 'app'],
    ['/home/u/app//', 'app'],
    ['C:\\work\\my app\\', 'my app'],
    ['/a\\b', 'b'],
    ['app', 'app'],
    ['/\\/', ''],
    ['', ''],
  ] as const)
    assert.equal(lastSegment(text), segment, text);
  for (const none of [7, null, ['/a'], '/\ud800/b', '/a\0/b']) assert.equal(lastSegment(none), undefined);
});

test('a counter gives its rise, and begins again after it fell', () => {
  const counters = new Counters();
  const total = path('total');
  const read = (record: Record<string, unknown>) => {
    counters.take([total], new ObjectSource(record));
    return [counters.rise(total), counters.name(total)];
  };
  assert.deepEqual(read({}), [undefined, undefined]);
  assert.deepEqual(read({ total: 100 }), [100, '100']);
  assert.deepEqual(read({ total: 250 }), [150, '250']);
  assert.deepEqual(read({ total: 250 }), [0, '250']);
  assert.deepEqual(read({ total: 'x' }), [undefined, undefined]);
  assert.deepEqual(read({ total: 100 }), [100, '100/1']);
  assert.deepEqual(read({ total: 300 }), [200, '300/1']);
});
