/**
 * Builds request bodies inside k6.
 *
 * k6 has no Buffer, and every virtual user has its own heap. So the pool is in two files that all users share;
 * `src/load/drivers/k6-pool.ts` writes them. Invariant: a body depends only on pool and number, and has the same bytes
 * as that of `src/load/bodies.ts`. A test compares the two, since the audit depends on it.
 */
import { UUID_BYTES, writeTimeUuid, writeUuid } from '../src/load/uuid.ts';

/** The pool as k6 sees it; its events are in the files. */
export interface SharedPool {
  readonly events: number;
  readonly sessions: number;
  readonly seed: number;
  /** Event ids: random UUIDs, or ones that grow with time. */
  readonly ids: 'random' | 'time';
}

/**
 * Number of 32-bit words per event in the file of positions. They are: offset, length, position of the id + 1, position
 * of the session id, session number.
 */
export const PLACE_WORDS = 5;

/** Reads the two files. The caller owns the returned arrays and may change them. */
export interface PoolFiles {
  /** Returns the words of `count` events, from event number `first` of the pool on. */
  places(first: number, count: number): Promise<Uint32Array>;
  /** Returns the bytes from offset `from` to `to` of the events, which are joined by commas. */
  bytes(from: number, to: number): Promise<Uint8Array>;
}

export interface Range {
  readonly first: number;
  readonly count: number;
}

interface Piece {
  /** Number of the first event in the endless sequence. */
  readonly first: number;
  readonly places: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Sessions and events draw their UUIDs from different seeds. */
const SESSION_SEED_OFFSET = 0x5e55;
const COMMA = 0x2c;
const OPEN = ascii('{"events":[');
const CLOSE = ascii(']}');
const NOTHING = ascii('');

/** Returns the body of `POST /api/events/batch`. */
export function batchBody(pool: SharedPool, files: PoolFiles, range: Range): Promise<Uint8Array> {
  return join(pool, files, range, OPEN, CLOSE);
}

/** Returns the body of `POST /api/events`: the event alone. */
export function singleBody(pool: SharedPool, files: PoolFiles, index: number): Promise<Uint8Array> {
  return join(pool, files, { first: index, count: 1 }, NOTHING, NOTHING);
}

async function join(
  pool: SharedPool,
  files: PoolFiles,
  range: Range,
  open: Uint8Array,
  close: Uint8Array,
): Promise<Uint8Array> {
  const pieces = await readPieces(pool, files, range);
  const size = pieces.reduce((sum, piece) => sum + piece.bytes.length, open.length + close.length);
  const body = new Uint8Array(size + pieces.length - 1);
  body.set(open, 0);
  let at = open.length;
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) body[at++] = COMMA;
    body.set(piece.bytes, at);
    writeIds(pool, piece, body, at);
    at += piece.bytes.length;
  }
  body.set(close, at);
  return body;
}

/** Returns the pieces of a range: usually one, or more when the range goes beyond the end of the pool. */
async function readPieces(pool: SharedPool, files: PoolFiles, range: Range): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (let done = 0; done < range.count; ) {
    const first = range.first + done;
    const within = first % pool.events;
    const count = Math.min(range.count - done, pool.events - within);
    const places = await files.places(within, count);
    const last = (count - 1) * PLACE_WORDS;
    pieces.push({ first, places, bytes: await files.bytes(places[0]!, places[last]! + places[last + 1]!) });
    done += count;
  }
  return pieces;
}

function writeIds(pool: SharedPool, piece: Piece, body: Uint8Array, start: number): void {
  const { places, first } = piece;
  // A piece does not go beyond the end of the pool, so all of it belongs to one repetition.
  const sessionBase = Math.floor(first / pool.events) * pool.sessions;
  const sessionSeed = pool.seed + SESSION_SEED_OFFSET;
  const view = new DataView(body.buffer);
  const writeId = pool.ids === 'time' ? writeTimeUuid : writeUuid;
  let lastSession = -1;
  let lastAt = 0;
  for (let i = 0, word = 0; word < places.length; i++, word += PLACE_WORDS) {
    const at = start + places[word]! - places[0]!;
    const idAt = places[word + 2]!;
    if (idAt > 0) writeId(view, at + idAt - 1, pool.seed, first + i);
    const sessionAt = at + places[word + 3]!;
    const session = places[word + 4]!;
    // Consecutive events usually share a session, and in k6 copying bytes is much faster than computing them.
    if (session === lastSession) body.copyWithin(sessionAt, lastAt, lastAt + UUID_BYTES);
    else writeUuid(view, sessionAt, sessionSeed, sessionBase + session);
    lastSession = session;
    lastAt = sessionAt;
  }
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(Array.from(text, (char) => char.charCodeAt(0)));
}
