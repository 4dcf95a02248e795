/** Tests revisions: which texts are valid, and which of two is larger. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRevisions, isRevision, maxRevision, type Revision, ZERO } from '../src/revision.ts';

const MAX = '18446744073709551615' as Revision;
const of = (text: string) => text as Revision;

test('canonical decimals of 64 bits are revisions', () => {
  const texts = ['0', '1', '9', '10', '42', '9007199254740993', '9223372036854775807', '9223372036854775808'];
  for (const text of [...texts, '18446744073709551614', MAX]) assert.ok(isRevision(text), text);
});

test('any other text is not a revision', () => {
  const spaced = ['', ' ', ' 1', '1 ', '1\n', '\t1', '\ufeff1'];
  const signed = ['-0', '-1', '+1', '00', '01', '007', '1.0', '1e3', '0x1', '1_000', '1,000'];
  const other = ['\u0661', '\uff11', 'NaN', 'abc', '12a'];
  const large = ['18446744073709551616', '99999999999999999999', '100000000000000000000', '1'.repeat(1e6)];
  for (const text of [...spaced, ...signed, ...other, ...large])
    assert.ok(!isRevision(text), text.slice(0, 30));
  for (const value of [0, 1, 1n, null, undefined, true, {}, [], ['1']]) assert.ok(!isRevision(value));
});

test('revisions compare as integers beyond the precision of a double', () => {
  const vectors = [
    ['0', '0', 0],
    ['9', '10', -1],
    ['10', '9', 1],
    ['99', '100', -1],
    ['42', '17', 1],
    ['1000', '1000', 0],
    ['9007199254740992', '9007199254740993', -1],
    ['9223372036854775807', '9223372036854775808', -1],
    ['18446744073709551614', MAX, -1],
    [MAX, MAX, 0],
    ['0', MAX, -1],
  ] as const;
  for (const [a, b, expected] of vectors) {
    assert.equal(compareRevisions(of(a), of(b)), expected, `${a} ${b}`);
    assert.equal(compareRevisions(of(b), of(a)), 0 - expected, `${b} ${a}`);
  }
  assert.deepEqual([maxRevision(of('9'), of('10')), maxRevision(MAX, ZERO)], ['10', MAX]);
});

test('the order of revisions is transitive', () => {
  const texts = ['0', '1', '9', '10', '42', '99', '100', '9007199254740992', '9007199254740993', MAX].map(of);
  for (const a of texts)
    for (const b of texts)
      for (const c of texts)
        if (compareRevisions(a, b) < 0 && compareRevisions(b, c) < 0)
          assert.equal(compareRevisions(a, c), -1, `${a} ${b} ${c}`);
  assert.deepEqual(texts.toReversed().sort(compareRevisions), texts);
});

test('random revisions compare as BigInt does', () => {
  let state = 0x9e3779b97f4a7c15n;
  const random = () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return state >> BigInt(Number(state & 63n));
  };
  for (let i = 0; i < 10_000; i++) {
    const [a, b] = [random(), random()];
    const expected = a === b ? 0 : a < b ? -1 : 1;
    assert.equal(compareRevisions(of(String(a)), of(String(b))), expected, `${a} ${b}`);
  }
});
