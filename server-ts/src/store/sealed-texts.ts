/**
 * The metadata of older rows, a block of 256 rows in one zstd frame (docs/decisions/0114-sealed-texts.md).
 *
 * A connection keeps the blocks that it read last, because rows in the order of time or of a session change between them.
 * Invariant: a kept block has the text of every row that the connection
 * sees. Blocks only lose texts, of rows that no longer exist, and a connection never sees an earlier state of the file.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { LIMITS, TUNING } from '../contract.ts';
import { QUERIES } from '../queries.ts';
import { TextFilter } from './text-filter.ts';

const { SqliteError } = Database;

/** Number of rows of a block. */
const ROWS = LIMITS.event_block_rows;
/** Bytes of the lengths before the texts. */
const LENGTHS = 4 * ROWS;
/** The length of a row without a text in the block. */
const NONE = 0xffffffff;
/** The usual bytes of an unpacked block, which zlib then returns in one piece. */
const CHUNK_BYTES = 256 * 1024;

/** Returns the statement of this text; a connection prepares it once. */
type Prepared = (sql: string, hasRows: boolean) => PreparedStatement;

/** What this module uses of a statement. */
interface PreparedStatement {
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): unknown;
}

/** The texts of a block by the places of their rows. */
class Block {
  readonly id: number;
  private readonly lengths: Uint32Array;
  /** Where the text of each place begins in `texts`. */
  private readonly starts: Uint32Array;
  private readonly texts: Buffer;
  private readonly encoding: 'latin1' | 'utf8';

  private constructor(id: number, lengths: Uint32Array, starts: Uint32Array, texts: Buffer) {
    this.id = id;
    this.lengths = lengths;
    this.starts = starts;
    this.texts = texts;
    // Reading ASCII as Latin-1 is cheaper.
    this.encoding = isAscii(texts) ? 'latin1' : 'utf8';
  }

  /** Unpacks the frame of a block; `undefined` when it is none. */
  static unpack(id: number, frame: Buffer): Block | undefined {
    const bytes = decompress(frame);
    if (bytes === undefined || bytes.length < LENGTHS) return undefined;
    const texts = bytes.subarray(LENGTHS);
    const [lengths, starts] = [new Uint32Array(ROWS), new Uint32Array(ROWS)];
    let end = 0;
    for (let place = 0; place < ROWS; place++) {
      const length = bytes.readUInt32LE(4 * place);
      lengths[place] = length;
      starts[place] = end;
      if (length !== NONE) end += length;
      if (end > texts.length) return undefined;
    }
    return end === texts.length && isUtf8(texts) ? new Block(id, lengths, starts, texts) : undefined;
  }

  /** Bytes of all texts. */
  get bytes(): number {
    return this.texts.length;
  }

  /** Returns the bytes of the text of a place; `undefined` without one. */
  lengthAt(place: number): number | undefined {
    const length = this.lengths[place]!;
    return length === NONE ? undefined : length;
  }

  /** Returns the text of a row. */
  text(row: number): string | undefined {
    const place = row % ROWS;
    const length = this.lengthAt(place);
    if (length === undefined) return undefined;
    const start = this.starts[place]!;
    const end = start + length;
    const isWhole = isBoundary(this.texts, start) && isBoundary(this.texts, end);
    return isWhole ? this.texts.toString(this.encoding, start, end) : undefined;
  }
}

/** Returns whether a character of UTF-8 begins or the text ends at this byte. */
function isBoundary(texts: Buffer, at: number): boolean {
  return at === texts.length || (texts[at]! & 0xc0) !== 0x80;
}

/** Returns the bytes of a frame; `undefined` when it is none, or has more than a block may have. */
function decompress(frame: Buffer): Buffer | undefined {
  try {
    return zstdDecompressSync(frame, {
      chunkSize: CHUNK_BYTES,
      maxOutputLength: LENGTHS + TUNING.sealed_block_bytes,
    });
  } catch {
    return undefined;
  }
}

/**
 * Adds two functions. `has_block(id)` returns whether the connection keeps the block of a row. `sealed_text(id, texts)`
 * returns the text of a row, from a block that is kept where `texts` is NULL.
 */
export function addSealedTextFunctions(db: Database.Database): void {
  let kept: Block[] = [];
  const find = (row: number): Block | undefined => kept.find(({ id }) => id === Math.floor(row / ROWS));
  const hasBlock = (row: number): number => (find(row) === undefined ? 0 : 1);
  const sealedText = (row: number, frame: unknown): string => {
    const block = Buffer.isBuffer(frame) ? Block.unpack(Math.floor(row / ROWS), frame) : undefined;
    if (block !== undefined) kept = keep(kept, block);
    const text = find(row)?.text(row);
    if (text === undefined) throw new SqliteError('metadata is missing', 'SQLITE_ERROR');
    return text;
  };
  db.function('has_block', { directOnly: true }, hasBlock);
  db.function('sealed_text', { directOnly: true }, sealedText);
}

/** Keeps a block, and drops the oldest ones while all together have more bytes than one may have. */
function keep(blocks: readonly Block[], block: Block): Block[] {
  const kept = [...blocks.filter(({ id }) => id !== block.id), block];
  const bytesOf = (): number => kept.reduce((sum, { bytes }) => sum + bytes, 0);
  while (kept.length > 1 && bytesOf() > TUNING.sealed_block_bytes) kept.shift();
  return kept;
}

/**
 * Returns the bytes of the texts of a block by the places of their rows; `undefined` when the frame is none of a block.
 */
export function textLengths(id: number, frame: Buffer): (number | undefined)[] | undefined {
  const block = Block.unpack(id, frame);
  return block && Array.from({ length: ROWS }, (_, place) => block.lengthAt(place));
}

/** What a search needs of a sealed block. */
export interface SealedBlock {
  /** Bytes of the metadata of its rows. */
  readonly metadataBytes: number;
  /** A `TextFilter`. */
  readonly filter: Buffer;
  /** Whether a row has whole metadata next to it, which the filter does not know. */
  readonly hasWhole: boolean;
}

/** Returns a sealed block; `undefined` when it is not sealed. */
export function findSealedBlock(prepared: Prepared, id: number): SealedBlock | undefined {
  const row = prepared(QUERIES.selectSealedBlock, true).get(id);
  if (row === undefined) return undefined;
  const [metadataBytes, filter, hasWhole] = row as readonly [number, Buffer, number];
  return { metadataBytes, filter, hasWhole: hasWhole === 1 };
}

/** A row of a block: its place, its metadata, whether that stands in the row, and what else is searched. */
type BlockRow = readonly [place: number, metadata: string, isInline: number, others: string];

/**
 * Seals a block, or writes a sealed one again after a deletion. A block of short metadata alone has a filter, too. Call it
 * in a transaction.
 */
export function sealBlock(prepared: Prepared, id: number): void {
  const lengths = Buffer.alloc(LENGTHS, 0xff);
  const texts: Buffer[] = [lengths];
  const filter = new TextFilter();
  let metadataBytes = 0;
  const rows = prepared(QUERIES.selectBlockTexts, true).all(id) as readonly BlockRow[];
  for (const [place, text, isInline, others] of rows) {
    const metadata = Buffer.from(text);
    metadataBytes += metadata.length;
    filter.add(metadata);
    filter.add(Buffer.from(others));
    if (isInline === 1) continue;
    lengths.writeUInt32LE(metadata.length, 4 * place);
    texts.push(metadata);
  }
  if (rows.length === 0) {
    prepared(QUERIES.deleteSealedBlock, false).run(id);
    return;
  }
  const frame = compress(Buffer.concat(texts));
  prepared(QUERIES.upsertSealedBlock, false).run(id, metadataBytes, filter.toBytes(), frame);
}

/** Writes a block again if it is sealed, after rows of it were deleted. */
export function sealAgain(prepared: Prepared, id: number): void {
  if (findSealedBlock(prepared, id) !== undefined) sealBlock(prepared, id);
}

function compress(bytes: Buffer): Buffer {
  return zstdCompressSync(bytes, {
    chunkSize: CHUNK_BYTES,
    pledgedSrcSize: bytes.length,
    params: { [constants.ZSTD_c_compressionLevel]: TUNING.sealing_level },
  });
}
