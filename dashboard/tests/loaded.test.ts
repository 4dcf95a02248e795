/** Tests rows in pages and pieces: none is missing, none occurs twice, and every gap is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../src/api.ts';
import { type Loaded, NOTHING, waiting, withNewer, withNewest, withOlder } from '../src/loaded.ts';

const rows = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => ({ id: from - i }) as Row);
const idsOf = ({ rows: list }: Loaded) => list.map(({ id }) => id);
const seen = (loaded: Loaded) => [idsOf(loaded), [...loaded.gaps].sort((a, b) => b - a)];

test('the first page is loaded, and newer rows are added', () => {
  const first = withNewest(NOTHING, rows(9, 5), true);
  assert.deepEqual(seen(first), [[9, 8, 7, 6, 5], [5]]);
  assert.deepEqual(seen(withNewer(first, rows(11, 10))), [[11, 10, 9, 8, 7, 6, 5], [5]]);
  assert.deepEqual(idsOf(withNewer(first, rows(10, 8))), [10, 9, 8, 7, 6, 5], 'none twice');
  assert.deepEqual(seen(withNewest(first, rows(3, 1), false)), [[3, 2, 1], []]);
  assert.deepEqual(seen(withNewest(NOTHING, [], false)), [[], []]);
});

test('a page above the loaded rows leaves a gap, which is loaded piece by piece', () => {
  let loaded = withNewest(NOTHING, rows(5, 3), true);
  loaded = withNewest(loaded, rows(20, 18), true);
  assert.deepEqual(seen(loaded), [
    [20, 19, 18, 5, 4, 3],
    [18, 3],
  ]);
  loaded = withOlder(loaded, 18, rows(17, 14), true);
  assert.deepEqual([...loaded.gaps], [3, 14]);
  loaded = withOlder(loaded, 14, rows(13, 4), true);
  assert.deepEqual(seen(loaded), [idsOf({ rows: rows(20, 3), gaps: new Set() }), [3]]);
  loaded = withOlder(loaded, 3, rows(2, 1), false);
  assert.deepEqual(seen(loaded), [idsOf({ rows: rows(20, 1), gaps: new Set() }), []]);
});

test('a search without rows yet is a gap, also when newer rows arrive', () => {
  const empty = withNewest(NOTHING, [], true);
  assert.deepEqual(seen(empty), [[], [0]]);
  assert.deepEqual(seen(withOlder(empty, 0, [], true)), [[], [0]]);
  assert.deepEqual(seen(withOlder(empty, 0, rows(7, 7), true)), [[7], [7]]);
  assert.deepEqual(seen(withOlder(empty, 0, [], false)), [[], []]);
  assert.deepEqual(seen(withNewest(empty, rows(9, 8), true)), [[9, 8], [8]]);
  const newer = withNewer(empty, rows(9, 8));
  assert.deepEqual(seen(newer), [[9, 8], [8]]);
  assert.deepEqual(seen(withOlder(newer, 8, [], true)), [[9, 8], [8]]);
  assert.deepEqual(seen(withOlder(newer, 8, rows(3, 2), false)), [[9, 8, 3, 2], []]);
});

test('a page over a gap closes it', () => {
  const gapped = withNewest(withNewest(NOTHING, rows(5, 3), true), rows(9, 8), true);
  assert.deepEqual(seen(withNewest(gapped, rows(11, 4), true)), [[11, 10, 9, 8, 7, 6, 5, 4, 3], [3]]);
  const larger = withOlder(gapped, 8, rows(7, 2), true);
  assert.deepEqual(seen(larger), [[9, 8, 7, 6, 5, 4, 3, 2], [2]]);
});

test('kept rows are bounded, and the rest is a gap', () => {
  const loaded = withNewest(NOTHING, rows(2000, 1), false);
  const more = withNewer(loaded, rows(2100, 2001));
  assert.deepEqual([more.rows.length, idsOf(more).at(-1), [...more.gaps]], [2000, 101, [101]]);
});

test('waiting rows are counted', () => {
  const shown = withNewest(NOTHING, rows(5, 1), false);
  assert.deepEqual(waiting(shown, shown), { count: 0, isMore: false });
  assert.deepEqual(waiting(withNewer(shown, rows(8, 6)), shown), { count: 3, isMore: false });
  assert.deepEqual(waiting(withNewest(shown, rows(90, 81), true), shown), { count: 10, isMore: true });
});

test('in any order of pages and pieces, ids fall and only gaps are missing', () => {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const PAGE = 5;
  let [newest, known, loaded] = [0, 0, NOTHING];
  for (let i = 0; i < 3000; i++) {
    newest += random(8);
    const gaps = [...loaded.gaps];
    const gap = gaps[random(gaps.length)];
    if (random(3) === 0 && gap !== undefined) {
      const low = Math.max(1, gap - PAGE);
      loaded = withOlder(loaded, gap, rows(gap - 1, low), low > 1);
    } else {
      const isWhole = newest - known > PAGE || known === 0;
      const low = Math.max(1, newest - PAGE + 1);
      if (isWhole) loaded = withNewest(loaded, newest === 0 ? [] : rows(newest, low), low > 1);
      else loaded = withNewer(loaded, rows(newest, known + 1));
      known = newest;
    }
    const ids = idsOf(loaded);
    ids.forEach((id, at) => {
      const next = ids[at + 1] ?? 0;
      assert.ok(id > next, `${i}: ${id} before ${next}`);
      if (!loaded.gaps.has(id)) assert.equal(next, id - 1, `${i}: a gap below ${id}`);
    });
  }
});
