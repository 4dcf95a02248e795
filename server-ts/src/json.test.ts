import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawEvents } from './event.ts';
import { FIELDS } from './field.ts';
import { type Batch, Keys, keyIs, scanBatch, scanEvent } from './json.ts';

function isJson(text: string): boolean {
  return scanEvent(Buffer.from(text), new RawEvents());
}

/** Returns the text of each field of one event. */
function fields(text: string): Record<string, string> {
  const body = Buffer.from(text);
  const raw = new RawEvents();
  assert.ok(scanEvent(body, raw), text);
  return fieldsAt(body, raw, 0);
}

function fieldsAt(body: Buffer, raw: RawEvents, index: number): Record<string, string> {
  const found: Record<string, string> = {};
  FIELDS.forEach((name, field) => {
    const slot = raw.at(index) + 2 * field + 2;
    const [start, end] = [raw.spans[slot]!, raw.spans[slot + 1]!];
    if (start !== 0) found[name] = body.toString('utf8', start, end);
  });
  return found;
}

function batchOf(text: string, maxItems = 10): { batch: Batch | undefined; raw: RawEvents; slices: number } {
  const raw = new RawEvents();
  const scan = scanBatch(Buffer.from(text), raw, maxItems);
  let slices = 0;
  for (;;) {
    const step = scan.next();
    if (step.done) return { batch: step.value, raw, slices };
    slices++;
  }
}

test('the scanner accepts RFC 8259', () => {
  for (const text of [
    'null',
    ' [ ] ',
    '{}',
    '-0',
    '0.5e-3',
    '1E+2',
    '"\\u00e9\\n\\/"',
    '[1,[2,{"a":[]}],"x"]',
    '{"a":{"b":null},"c":true}',
  ]) {
    assert.equal(isJson(text), true, text);
  }
});

test('the scanner refuses all other text', () => {
  for (const text of [
    '',
    ' ',
    '\uFEFF{}',
    'nul',
    '01',
    '1.',
    '.5',
    '-',
    '+1',
    '1e',
    '0x1',
    'NaN',
    '"a',
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12',
    "'a'",
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a"}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1]',
    '[1}',
    '{} {}',
    '{}x',
    '// x\n1',
  ]) {
    assert.equal(isJson(text), false, text);
  }
});

test('the scanner accepts 128 levels and no more', () => {
  assert.equal(isJson('['.repeat(128) + ']'.repeat(128)), true);
  assert.equal(isJson('['.repeat(129) + ']'.repeat(129)), false);
  const inBatch = (depth: number) => `{"events":[{"metadata":${'['.repeat(depth)}${']'.repeat(depth)}}]}`;
  assert.notEqual(batchOf(inBatch(125)).batch, undefined);
  assert.equal(batchOf(inBatch(126)).batch, undefined);
});

test('the scanner finds known fields, the last of each, with escaped keys too', () => {
  assert.deepEqual(fields('{"status":"a","x":{"status":1},"status" : "b" ,"s\\u006furce":[1]}'), {
    status: '"b"',
    source: '[1]',
  });
  assert.deepEqual(fields('{"Status":"a","statu":1,"statuss":2}'), {});
});

test('the scanner splits a batch into its items', () => {
  const text = '{"a":[1],"events":[{"model":"m"}, 3 ,{}],"b":{}}';
  const { batch, raw } = batchOf(text);
  assert.deepEqual(batch, { isBatch: true, count: 3 });
  assert.deepEqual(fieldsAt(Buffer.from(text), raw, 0), { model: '"m"' });
  assert.equal(text[raw.spans[raw.at(1)]!], '3');
});

test('of two lists of events only the last counts', () => {
  const text = '{"events":[{"model":"m"},{"branch":"b"}],"\\u0065vents":[{"status":"s"}]}';
  const { batch, raw } = batchOf(text);
  assert.deepEqual(batch, { isBatch: true, count: 1 });
  assert.deepEqual(fieldsAt(Buffer.from(text), raw, 0), { status: '"s"' });
  assert.equal(batchOf('{"events":[],"events":{}}').batch?.isBatch, false);
});

test('items above the limit are counted but not kept', () => {
  const { batch, raw } = batchOf(`{"events":[${Array(25).fill('{}').join(',')}]}`, 10);
  assert.equal(batch?.count, 25);
  assert.equal(raw.count, 10);
});

test('the scanner pauses between the items of a long body', () => {
  const item = `{"metadata":"${'x'.repeat(100_000)}"}`;
  const { batch, slices } = batchOf(`{"events":[${Array(30).fill(item).join(',')}]}`, 100);
  assert.equal(batch?.count, 30);
  assert.ok(slices >= 4, `${slices} slices`);
});

test('the scanner pauses between many short items', () => {
  const { batch, slices } = batchOf(`{"events":[${Array(20_000).fill('7').join(',')}]}`, 0);
  assert.equal(batch?.count, 20_000);
  assert.equal(slices, 2);
});

test('a set of names finds a key in any spelling, and only whole keys', () => {
  const keys = new Keys(['id', 'cwd', 'ab', 'name']);
  const indexOf = (key: string): number => keys.find(Buffer.from(`"${key}"`), 1, 1 + Buffer.byteLength(key));
  assert.deepEqual(['id', 'cwd', 'ab', 'name'].map(indexOf), [0, 1, 2, 3]);
  assert.deepEqual(['i\\u0064', '\\u0063wd', '\\u006e\\u0061me'].map(indexOf), [0, 1, 3]);
  for (const key of ['', 'i', 'idd', 'Id', 'names', 'i\\u0164', '\\n', '\\u0069'.repeat(9), 'é'])
    assert.equal(indexOf(key), -1, key);
  assert.equal(new Keys([]).find(Buffer.from('id'), 0, 2), -1);
});

test('keys are compared with their escapes resolved', () => {
  const isKey = (token: string, name: string): boolean =>
    keyIs(Buffer.from(token), 0, Buffer.byteLength(token), Buffer.from(name));
  assert.ok(isKey('\\u0065v\\u0065nts', 'events') && isKey('a\\/\\n\\"', 'a/\n"'));
  for (const token of ['\\u0065vent', '\\u0065ventss', '\\u0165vents', '\\nevents', '\\u00e9', 'event'])
    assert.equal(isKey(token, 'events'), false, token);
  for (const key of ['\\u0073tatus', 'statu\\u0073', '\\u0073\\u0074\\u0061\\u0074\\u0075\\u0073'])
    assert.deepEqual(fields(`{"${key}":1}`), { status: '1' }, key);
  for (const key of ['\\u0173tatus', 'statu\\n', '\\ud83d\\ude00', 'status\\u0000', '\\u0073'.repeat(33)])
    assert.deepEqual(fields(`{"${key}":1}`), {}, key);
});
