/**
 * Builds request bodies from a pool. A pool that repeats with fresh event and session ids is an endless sequence of
 * events.
 *
 * Invariants: a body depends only on pool and range, so both servers get the same bytes in any order of connections. In
 * addition to the pool, memory contains only the bodies that are being sent. A sender of many bodies returns their
 * memory for reuse, since a garbage collection would scan the pool. Nothing here parses or serialises JSON: the cost
 * per event is that of copying.
 */
import type { Pool } from './pool.ts';
import { writeTimeUuid, writeUuid } from './uuid.ts';

const OPEN = Buffer.from('{"events":[');
const CLOSE = Buffer.from(']}');
const COMMA = 0x2c;

/** Sessions and events draw their UUIDs from different seeds. */
const SESSION_SEED_OFFSET = 0x5e55;

export interface Range {
  /** Number of the first event in the endless sequence. */
  readonly first: number;
  readonly count: number;
}

/** Returns the body of a batch, ready to be sent. It uses the memory `free` if that is large enough. */
export function batchBody(pool: Pool, range: Range, free?: ArrayBuffer): Buffer {
  let size = OPEN.length + CLOSE.length + range.count - 1;
  for (let i = 0; i < range.count; i++) size += templateAt(pool, range.first + i).bytes.length;
  const body = memory(size, free);
  const view = viewOf(body);
  let at = OPEN.copy(body, 0);
  for (let i = 0; i < range.count; i++) {
    if (i > 0) body[at++] = COMMA;
    at = writeEvent(pool, range.first + i, body, { view, at });
  }
  CLOSE.copy(body, at);
  return body;
}

/** Returns the body of a single event, ready to be sent. It uses the memory `free` if that is large enough. */
export function singleBody(pool: Pool, index: number, free?: ArrayBuffer): Buffer {
  const body = memory(templateAt(pool, index).bytes.length, free);
  writeEvent(pool, index, body, { view: viewOf(body), at: 0 });
  return body;
}

/** Returns the number of events in the range that have an `event_id`. */
export function countWithId(pool: Pool, range: Range): number {
  const { templates, facts } = pool;
  const whole = Math.floor(range.count / templates.length);
  let count = whole * facts.with_event_id;
  for (let i = whole * templates.length; i < range.count; i++) {
    if (templateAt(pool, range.first + i).idAt >= 0) count++;
  }
  return count;
}

function memory(size: number, free: ArrayBuffer | undefined): Buffer {
  // The size is a power of two, so that the memory is large enough for most later bodies.
  const buffer = free && free.byteLength >= size ? free : new ArrayBuffer(2 ** Math.ceil(Math.log2(size)));
  return Buffer.from(buffer, 0, size);
}

function templateAt(pool: Pool, index: number) {
  return pool.templates[index % pool.templates.length]!;
}

function viewOf(body: Buffer): DataView {
  return new DataView(body.buffer, body.byteOffset, body.length);
}

interface Place {
  /** The memory of the body. */
  readonly view: DataView;
  readonly at: number;
}

function writeEvent(pool: Pool, index: number, body: Buffer, { view, at }: Place): number {
  const template = templateAt(pool, index);
  template.bytes.copy(body, at);
  const writeId = pool.ids === 'time' ? writeTimeUuid : writeUuid;
  if (template.idAt >= 0) writeId(view, at + template.idAt, pool.seed, index);
  const repetition = Math.floor(index / pool.templates.length);
  const session = repetition * pool.sessions + template.session;
  writeUuid(view, at + template.sessionAt, pool.seed + SESSION_SEED_OFFSET, session);
  return at + template.bytes.length;
}
