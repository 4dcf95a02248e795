/**
 * A pool as two arrays, and the bodies that are made from it. A pool that repeats with fresh event and session ids is an
 * endless sequence of events.
 *
 * Invariants: a body depends only on pool and range, so both servers get the same bytes from every generator, in any
 * order of connections. k6 loads this module too, so it needs no Buffer and imports nothing of Node. Nothing here parses
 * or serialises JSON: the cost per event is that of copying.
 */
import { UUID_BYTES, writeUuid } from './uuid.ts';

export interface PackedPool {
  readonly events: number;
  readonly sessions: number;
  readonly seed: number;
}

/**
 * Number of 32-bit words per event in the array of places. The first two are the offset in the array of bytes, and the
 * length. Then follow the position of the id + 1 (0 without an id), that of the session id, and the session number.
 */
export const PLACE_WORDS = 5;

export interface Range {
  readonly first: number;
  readonly count: number;
}

/** Events of a range that lie next to each other in the pool. */
export interface Span extends Range {
  /** Number of the first event within the pool. */
  readonly within: number;
}

export interface Piece {
  readonly first: number;
  readonly places: Uint32Array;
  /** The events, joined by commas. */
  readonly bytes: Uint8Array;
}

/** Sessions and events draw their UUIDs from different seeds. */
const SESSION_SEED_OFFSET = 0x5e55;
const COMMA = 0x2c;
const OPEN = ascii('{"events":[');
const CLOSE = ascii(']}');

/** Returns the spans of a range: usually one, or more when the range goes beyond the end of the pool. */
export function spansOf(pool: PackedPool, range: Range): Span[] {
  const spans: Span[] = [];
  for (let done = 0; done < range.count; ) {
    const first = range.first + done;
    const within = first % pool.events;
    const count = Math.min(range.count - done, pool.events - within);
    spans.push({ first, within, count });
    done += count;
  }
  return spans;
}

/** Returns where the bytes of consecutive events begin and end. */
export function bytesOf(places: Uint32Array): readonly [from: number, to: number] {
  const last = places.length - PLACE_WORDS;
  return [places[0]!, places[last]! + places[last + 1]!];
}

/** Returns the bytes of a body: of a batch, or of a single event alone. */
export function sizeOf(pieces: readonly Piece[], isBatch: boolean): number {
  const around = isBatch ? OPEN.length + CLOSE.length : 0;
  return pieces.reduce((sum, piece) => sum + piece.bytes.length, around + pieces.length - 1);
}

export function writeBody(
  pool: PackedPool,
  pieces: readonly Piece[],
  isBatch: boolean,
  body: Uint8Array,
): void {
  let at = 0;
  if (isBatch) {
    body.set(OPEN, 0);
    at = OPEN.length;
  }
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) body[at++] = COMMA;
    body.set(piece.bytes, at);
    writeIds(pool, piece, body, at);
    at += piece.bytes.length;
  }
  if (isBatch) body.set(CLOSE, at);
}

function writeIds(pool: PackedPool, { places, first }: Piece, body: Uint8Array, start: number): void {
  // A piece does not go beyond the end of the pool, so all of it belongs to one repetition.
  const sessionBase = Math.floor(first / pool.events) * pool.sessions;
  const sessionSeed = pool.seed + SESSION_SEED_OFFSET;
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  let lastSession = -1;
  let lastAt = 0;
  for (let i = 0, word = 0; word < places.length; i++, word += PLACE_WORDS) {
    const at = start + places[word]! - places[0]!;
    const idAt = places[word + 2]!;
    if (idAt > 0) writeUuid(view, at + idAt - 1, pool.seed, first + i);
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
