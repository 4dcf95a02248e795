import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { addTextFunction } from './text-search.ts';

/** Letters whose other case is not ASCII, characters of patterns, and one of four bytes. */
const LETTERS = [...'aAbBkKzZ%_*\\"éÉſ\u212a\u0130😀 '];

/** Returns a text of up to `most` letters; `random` gives numbers from 0 to 1. */
function textOf(random: () => number, most: number): string {
  const count = Math.floor(random() * most);
  return Array.from({ length: count }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
}

/** A linear congruential generator, so that a failure repeats. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('has_text finds what LIKE finds, for random texts', () => {
  const db = new Database(':memory:');
  addTextFunction(db);
  const like = db.prepare(
    "SELECT :text LIKE '%' || :q || '%' ESCAPE '\\' OR ifnull(:text LIKE '%' || :other || '%' ESCAPE '\\', 0)",
  );
  const own = db.prepare('SELECT has_text(CAST(? AS BLOB), ?, ?)');
  const escaped = (text: string | null) => text?.replace(/[\\%_]/g, '\\$&') ?? null;
  const random = generator(7);
  let found = 0;
  for (let round = 0; round < 20_000; round++) {
    const text = textOf(random, 24);
    const q = textOf(random, 4) || 'a';
    const other = random() < 0.5 ? null : textOf(random, 4) || 'b';
    const expected = like.pluck().get({ text, q: escaped(q), other: escaped(other) });
    assert.equal(own.pluck().get(text, q, other), expected, JSON.stringify([text, q, other]));
    if (expected === 1) found++;
  }
  assert.ok(found > 2_000 && found < 18_000, `${found} found`);
  assert.equal(own.pluck().get(null, 'a', null), 0);
  db.close();
});

test('a search fails as interrupted once it was ended', () => {
  const db = new Database(':memory:');
  const ended = new Int32Array(new SharedArrayBuffer(4));
  addTextFunction(db, ended);
  const statement = db.prepare("SELECT has_text(CAST('text' AS BLOB), 'T', NULL)").pluck();
  assert.equal(statement.get(), 1);
  Atomics.store(ended, 0, 1);
  assert.throws(() => statement.get(), { code: 'SQLITE_INTERRUPT' });
  db.close();
});
