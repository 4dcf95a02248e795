import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextFilter, WantedTrigrams } from './text-filter.ts';

function filterOf(...texts: readonly string[]): Buffer {
  const filter = new TextFilter();
  for (const text of texts) filter.add(Buffer.from(text));
  return filter.toBytes();
}

test('a filter has each part of its texts and few others', () => {
  const texts = Array.from(
    { length: 256 },
    (_, n) => `{"path":"src/File-${n}.rs","É":"${(n * 7_919) % 1_000}"}`,
  );
  const bytes = filterOf(...texts);
  assert.ok(Number.isInteger(Math.log2(bytes.length)) && bytes.length >= 64 && bytes.length <= 1_024);
  const has = (text: string): boolean => new WantedTrigrams(text).mayBeIn(bytes);
  const upper = (text: string): string => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  for (const text of texts) {
    for (let start = 0; start < text.length; start++) {
      for (let end = start; end <= text.length; end++) {
        const part = upper(text.slice(start, end));
        assert.ok(has(part), part);
      }
    }
  }
  const found = Array.from({ length: 1_000 }, (_, n) => has(`zq${n}x`)).filter((isIn) => isIn).length;
  assert.ok(found < 200, `${found} of 1,000`);
});

test('a filter of too much has everything', () => {
  const filter = new TextFilter();
  let state = 7;
  filter.add(
    Uint8Array.from({ length: 400_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
  assert.equal(filter.toBytes().length, 0);
  assert.ok(new WantedTrigrams('anything').mayBeIn(Buffer.alloc(0)));
});

test('both servers make the same filter', () => {
  assert.equal(
    filterOf('Read "src/Ünit-😀.rs"', 'git push', 'ab').toString('hex'),
    '0044010802028020900010200000000000000000440001400010082030020084241a00000028020000040010410010009020006000a240240400120000480440',
  );
});
