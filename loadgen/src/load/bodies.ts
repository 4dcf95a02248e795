/**
 * A pool as two arrays, and the request bodies that are made from it. A pool that repeats with fresh event and session
 * ids is an endless sequence of events.
 *
 * Invariants: a body depends only on pool and range, so both servers get the same bytes from every generator, in any
 * order of connections. k6 loads this module too, so it imports nothing of Node. Nothing here parses or serialises JSON:
 * the cost per event is that of copying.
 */
import { UUID_BYTES, writeUuid } from './uuid.ts';

export type PoolSize = Readonly<Record<'events' | 'sessions' | 'seed', number>>;

export interface PackedPool extends PoolSize {
  /** `PLACE_WORDS` words for each event. */
  readonly places: Uint32Array;
  /** All events, joined by commas. */
  readonly bytes: Buffer;
}

/**
 * Number of 32-bit words per event in the array of places. The first two are the offset in the array of bytes, and the
 * length. Then follow the position of the id + 1 (0 without an id), that of the session id, and the session number.
 */
export const PLACE_WORDS = 5;

export type Range = Readonly<Record<'first' | 'count', number>>;

/** Events of a range that lie next to each other in the pool, of which `within` is the number of the first one. */
type Span = Range & Readonly<Record<'within', number>>;

/** A span with its places and its events, which are joined by commas. */
export type Piece = Readonly<{ first: number; places: Uint32Array; bytes: Uint8Array }>;

export function batchBody(pool: PackedPool, range: Range): Buffer {
  return packedBody(pool, range, true);
}

export function singleBody(pool: PackedPool, index: number): Buffer {
  return packedBody(pool, { first: index, count: 1 }, false);
}

function packedBody(pool: PackedPool, range: Range, isBatch: boolean): Buffer {
  const pieces = spansOf(pool, range).map(({ first, within, count }) => {
    const places = pool.places.subarray(within * PLACE_WORDS, (within + count) * PLACE_WORDS);
    return { first, places, bytes: pool.bytes.subarray(...bytesOf(places)) };
  });
  return bodyOf(pool, pieces, isBatch, Buffer.allocUnsafe);
}

/** Returns the spans of a range: usually one, or more when the range goes beyond the end of the pool. */
export function spansOf(pool: PoolSize, range: Range): Span[] {
  const spans: Span[] = [];
  for (let done = 0; done < range.count; done += spans.at(-1)!.count) {
    const first = range.first + done;
    const within = first % pool.events;
    spans.push({ first, within, count: Math.min(range.count - done, pool.events - within) });
  }
  return spans;
}

/** Returns where the bytes of consecutive events begin and end. */
export function bytesOf(places: Uint32Array): readonly [from: number, to: number] {
  const last = places.length - PLACE_WORDS;
  return [places[0]!, places[last]! + places[last + 1]!];
}

const COMMA = 0x2c;
const [OPEN, CLOSE, NOTHING] = [ascii('{"events":['), ascii(']}'), ascii('')];

/** Returns the body of a batch, or of a single event, in memory that `create` allocates. */
export function bodyOf<Bytes extends Uint8Array>(
  pool: PoolSize,
  pieces: readonly Piece[],
  isBatch: boolean,
  create: (size: number) => Bytes,
): Bytes {
  const [before, after] = isBatch ? [OPEN, CLOSE] : [NOTHING, NOTHING];
  const around = before.length + after.length + pieces.length - 1;
  const body = create(pieces.reduce((sum, { bytes }) => sum + bytes.length, around));
  body.set(before);
  let at = before.length;
  for (const piece of pieces) {
    if (at > before.length) body[at++] = COMMA;
    body.set(piece.bytes, at);
    writeIds(pool, piece, body, at);
    at += piece.bytes.length;
  }
  body.set(after, at);
  return body;
}

/** Sessions and events draw their UUIDs from different seeds. */
const SESSION_SEED_OFFSET = 0x5e55;

function writeIds(pool: PoolSize, { places, first }: Piece, body: Uint8Array, start: number): void {
  // A piece does not go beyond the end of the pool, so all of it belongs to one repetition.
  const sessionBase = Math.floor(first / pool.events) * pool.sessions;
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
    else writeUuid(view, sessionAt, pool.seed + SESSION_SEED_OFFSET, sessionBase + session);
    lastSession = session;
    lastAt = sessionAt;
  }
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(Array.from(text, (char) => char.charCodeAt(0)));
}

/** What the requests of a load have in common. */
export interface RequestShape {
  /** `single`: one event per request to `POST /api/events`, and `batchSize` is 1. */
  readonly endpoint: 'batch' | 'single';
  readonly batchSize: number;
}

export type Requests = ReturnType<typeof requestsOf>;

/**
 * Returns the requests of a range. Request k has its events from k*batchSize on, for every driver; the last one may have
 * fewer. A body is built only on demand.
 */
export function requestsOf(pool: PackedPool, { endpoint, batchSize }: RequestShape, range: Range) {
  const isBatch = endpoint === 'batch';
  const events = (number: number) => Math.min(batchSize, range.count - number * batchSize);
  const rangeOf = (number: number) => ({ first: range.first + number * batchSize, count: events(number) });
  return {
    path: isBatch ? '/api/events/batch' : '/api/events',
    count: Math.ceil(range.count / batchSize),
    events,
    body: (number: number): Buffer => packedBody(pool, rangeOf(number), isBatch),
  };
}
