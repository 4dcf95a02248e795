import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { SCHEMA_SQL, TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { Numbered } from './connection.ts';
import { addSealedTextFunctions, sealAgain, sealBlock, textLengths } from './sealed-texts.ts';
import { addWholeTextFunctions } from './whole-texts.ts';

const ROWS = 256;
const BLOCK = 3;
const FIRST = BLOCK * ROWS;

/** A database of the schema in memory, and its statements. */
class Fixture {
  readonly db = new Database(':memory:');
  private readonly insertRow;
  private readonly insertText;

  constructor() {
    this.db.exec(SCHEMA_SQL);
    addSealedTextFunctions(this.db);
    addWholeTextFunctions(this.db);
    this.insertRow = this.db.prepare(
      `INSERT INTO events (id, created_at, session, agent_type, event_type, status, source, payload_truncated, tokens_in,
        tokens_out, cache_read_tokens, cache_write_tokens, metadata) VALUES (?, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, ?)`,
    );
    this.insertText = this.db.prepare('INSERT INTO event_texts (id, metadata) VALUES (?, ?)');
  }

  readonly prepared = (sql: string, hasRows: boolean): Numbered => new Numbered(this.db, sql, hasRows);

  insert(id: number, metadata: string): void {
    const isLong = Buffer.byteLength(metadata) > TUNING.inline_metadata_bytes;
    this.insertRow.run(id, isLong ? null : metadata);
    if (isLong) this.insertText.run(id, metadata);
  }

  /** Seals the block, and removes the texts that are in it. */
  seal(): void {
    sealBlock(this.prepared, BLOCK);
    this.prepared(QUERIES.deleteBlockTexts, false).run(BLOCK);
  }

  frame(): Buffer | undefined {
    return this.db.prepare<[], Buffer>('SELECT texts FROM sealed_texts').pluck().get();
  }

  metadataOf(id: number): unknown {
    return (this.prepared(QUERIES.selectEvent, true).get(id) as unknown[] | undefined)?.at(-1);
  }
}

/** Returns numbers below a bound, the same ones in each run. */
function randomNumbers(): (bound: number) => number {
  let state = 11;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % bound;
  };
}

const ALPHABET = ['a', 'Z', '0', ' ', '"', '\\', 'é', '水', '😀'];

/** Returns the frame of a block with these lengths by place, and these bytes. */
function frameOf(lengths: ReadonlyMap<number, number>, texts: Uint8Array): Buffer {
  const head = Buffer.alloc(4 * ROWS, 0xff);
  for (const [place, length] of lengths) head.writeUInt32LE(length, 4 * place);
  return zstdCompressSync(Buffer.concat([head, texts]));
}

test('a sealed block returns the text of each of its rows', () => {
  const random = randomNumbers();
  for (let round = 0; round < 20; round++) {
    const fixture = new Fixture();
    const expected = new Map<number, string>();
    for (let place = 0; place < ROWS; place++) {
      if (random(4) === 0) continue;
      const length = random(8) === 0 ? random(3_000) : random(20);
      const text = Array.from({ length }, () => ALPHABET[random(ALPHABET.length)]!).join('');
      expected.set(FIRST + place, text);
      fixture.insert(FIRST + place, text);
    }
    fixture.seal();
    assert.equal(fixture.db.prepare('SELECT count(*) FROM event_texts').pluck().get(), 0);
    for (let id = FIRST; id < FIRST + ROWS; id++) assert.equal(fixture.metadataOf(id), expected.get(id));
    const bytes = [...expected.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    assert.equal(fixture.db.prepare('SELECT metadata_bytes FROM sealed_texts').pluck().get(), bytes);
    const lengths = textLengths(BLOCK, fixture.frame()!)!;
    for (let place = 0; place < ROWS; place++) {
      const length = Buffer.byteLength(expected.get(FIRST + place) ?? '');
      assert.equal(lengths[place], length > TUNING.inline_metadata_bytes ? length : undefined);
    }
  }
});

test('a block is written again without deleted rows, and goes with its last row', () => {
  const fixture = new Fixture();
  for (const id of [1, 2, 3]) fixture.insert(FIRST + id, `a text of the row ${id}`);
  fixture.insert(FIRST + 4, '{}');
  sealAgain(fixture.prepared, BLOCK);
  assert.equal(fixture.frame(), undefined);
  fixture.seal();
  fixture.db.exec(`DELETE FROM events WHERE id = ${FIRST + 2}`);
  sealAgain(fixture.prepared, BLOCK);
  assert.ok(!zstdDecompressSync(fixture.frame()!).includes('the row 2'));
  assert.equal(fixture.metadataOf(FIRST + 3), 'a text of the row 3');
  fixture.db.exec(`DELETE FROM events WHERE id <> ${FIRST + 4}`);
  sealAgain(fixture.prepared, BLOCK);
  assert.equal(fixture.metadataOf(FIRST + 4), '{}');
  assert.deepEqual(
    textLengths(BLOCK, fixture.frame()!),
    Array.from({ length: ROWS }, () => undefined),
  );
  fixture.db.exec('DELETE FROM events');
  sealAgain(fixture.prepared, BLOCK);
  assert.equal(fixture.frame(), undefined);
});

const whole = frameOf(new Map([[0, 20]]), Buffer.alloc(20, 'a'));
const HOSTILE: readonly (readonly [name: string, frame: Uint8Array])[] = [
  ['no bytes', Buffer.alloc(0)],
  ['no frame', Buffer.from('no frame')],
  ['a part of a frame', whole.subarray(0, -1)],
  ['lengths without an end', zstdCompressSync(Buffer.alloc(4 * ROWS - 1, 0xff))],
  ['a text that is too short', frameOf(new Map([[0, 21]]), Buffer.alloc(20, 'a'))],
  ['a text that is too long', frameOf(new Map([[0, 19]]), Buffer.alloc(20, 'a'))],
  [
    'lengths whose sum overflows',
    frameOf(new Map(Array.from({ length: 3 }, (_, at) => [at, 0xfffffffe])), Buffer.alloc(20)),
  ],
  ['bytes that are no UTF-8', frameOf(new Map([[0, 20]]), Buffer.alloc(20, 0xff))],
];

test('a frame that is no block is an error of the statement', () => {
  const fixture = new Fixture();
  const select = fixture.db.prepare('SELECT sealed_text(?, ?)').pluck();
  const missing = { name: 'SqliteError', code: 'SQLITE_ERROR', message: 'metadata is missing' };
  for (const [name, frame] of HOSTILE) {
    assert.equal(textLengths(BLOCK, Buffer.from(frame)), undefined, name);
    assert.throws(() => select.get(FIRST, frame), missing, name);
    assert.throws(() => select.get(FIRST, null), missing, name);
  }
  assert.throws(() => select.get(FIRST + 1, whole), missing, 'a row without a text');
  assert.throws(() => select.get(FIRST + ROWS, null), missing, 'a row of another block');
  assert.equal(select.get(FIRST, null), 'a'.repeat(20));
  const inside = frameOf(
    new Map([
      [0, 1],
      [1, 1],
    ]),
    Buffer.from('é'),
  );
  assert.throws(() => select.get(FIRST, inside), missing, 'a text that ends inside a character');
});

test('a block with more bytes than the bound is refused', () => {
  const most = TUNING.sealed_block_bytes;
  const lengthsOf = (length: number) =>
    textLengths(BLOCK, frameOf(new Map([[7, length]]), Buffer.alloc(length, 'a')));
  assert.equal(lengthsOf(most)?.[7], most);
  assert.equal(lengthsOf(most + 1), undefined);
});
