/**
 * Remembers how far events were forwarded, and reads the next ones (rules FWD-02 to FWD-05).
 *
 * The cursor is a row of `meta` for each receiver. Invariant: it never passes an event that the receiver has neither
 * acknowledged nor refused. So a crash repeats events, and the receiver recognises them by `event_id`.
 */
import { hashedId } from '@twin-ingest/mapping/event-id.ts';
import { LIMITS, TUNING } from '../contract.ts';
import { EventTimes } from '../event-time.ts';
import { COLUMNS } from '../field.ts';
import { QUERIES } from '../queries.ts';
import { type StoredRow, type StoredValue, storedIdOf, storedMetadataOf } from '../render/stored.ts';
import { type Connection, Numbered } from './connection.ts';
import { libraries } from './event-pages.ts';
import type { Texts } from './event-rows.ts';
import { searchEvents } from './event-search.ts';
import type { Queries } from './query.ts';
import type { ForwardRead } from './read.ts';

const EVENT_ID = placeOf('event_id');
const CLIENT_TIMESTAMP = placeOf('client_timestamp');
const ARRIVED_AT = placeOf('arrived_at');
const CREATED_AT = placeOf('created_at');
const METADATA_BYTES = placeOf('metadata_bytes');
const METADATA = placeOf('metadata');

/** Places in the shared memory of a cursor. */
const ACKNOWLEDGED = 0;
/** The newest id up to which retention has deleted events. */
const DELETED = 1;
const LOST = 2;

/** The progress towards one receiver. The forwarder raises it, and the writer stores it. */
export class ForwardCursor {
  readonly url: string;
  /** Shared, since the forwarder and the writer are in two threads. */
  readonly memory: SharedArrayBuffer;
  private readonly numbers: BigInt64Array;
  /** The value in the database. */
  private stored = 0;

  /** Creates the cursor of a receiver with this URL. */
  constructor(url: string, memory = new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.url = url;
    this.memory = memory;
    this.numbers = new BigInt64Array(memory);
  }

  /** Reads the cursor from the database, and keeps the origin of made ids (rule FWD-04). */
  load(db: Connection): void {
    db.prepare(QUERIES.insertForwardOrigin).run();
    const row = new Numbered(db, QUERIES.selectForwardCursor, true).get(this.url);
    this.stored = (row as readonly [number] | undefined)?.[0] ?? 0;
    this.acknowledge(this.stored);
  }

  /** Stores the cursor if it has risen. The writer calls it once a second, so that a batch costs no transaction. */
  save(db: Connection): void {
    const id = this.acknowledged;
    if (id === this.stored) return;
    new Numbered(db, QUERIES.upsertForwardCursor).run(this.url, id);
    this.stored = id;
  }

  /** The id up to which the receiver has every event. */
  get acknowledged(): number {
    return Number(Atomics.load(this.numbers, ACKNOWLEDGED));
  }

  /** Raises the cursor. */
  acknowledge(id: number): void {
    Atomics.store(this.numbers, ACKNOWLEDGED, BigInt(id));
  }

  /** Returns the number of ids that wait, up to the newest one. */
  waiting(newest: number): number {
    const deleted = Number(Atomics.load(this.numbers, DELETED));
    return Math.max(newest - Math.max(this.acknowledged, deleted), 0);
  }

  /** Returns the number of waiting events that retention is about to delete, up to an id. */
  countLosses(db: Connection, newest: number): number {
    const { acknowledged } = this;
    if (newest <= acknowledged) return 0;
    const select = new Numbered(db, QUERIES.selectCountSince, true);
    const [count] = select.get(acknowledged, newest, LIMITS.max_integer) as readonly [number];
    return count;
  }

  /** Notes that retention has deleted the events up to an id, and that the receiver lacks some of them (rule FWD-08). */
  noteLosses(newest: number, count: number): void {
    // Only the writer changes these numbers.
    Atomics.store(this.numbers, DELETED, BigInt(newest));
    Atomics.add(this.numbers, LOST, BigInt(count));
  }

  /** The number of events that were deleted before the receiver had them. */
  get lost(): number {
    return Number(Atomics.load(this.numbers, LOST));
  }
}

/** Events for a receiver. */
export interface ForwardBatch {
  /** A batch in MessagePack. */
  readonly body: Uint8Array;
  /** The ids of its events. */
  readonly ids: Float64Array;
  /** The id up to which the batch has every event. */
  readonly cursor: number;
  /** Whether more events wait. */
  readonly isFollowed: boolean;
}

/**
 * Reads up to `most` events after an id, oldest first. The body is the page of these events (rule FMT-08): a receiver
 * ignores the members that a server adds.
 */
export function readForwardBatch(queries: Queries, texts: Texts, { above, most }: ForwardRead): ForwardBatch {
  const origin = queries.prepared(QUERIES.selectForwardOrigin, true).get() as readonly [string];
  const rows = new libraries.msgpack!.MsgpackRows(texts);
  const ids: number[] = [];
  let bytes = 0;
  const filter = { fields: {}, after: above, order: 'asc' as const, limit: most };
  const reached = searchEvents(queries, 'stored', filter, most, (row: StoredRow) => {
    ids.push(storedIdOf(row));
    const forwarded = withWholeMetadata(queries, forwardedRow(row, origin[0]));
    bytes += Buffer.byteLength(storedMetadataOf(forwarded));
    rows.push(forwarded);
    return bytes < TUNING.forward_batch_bytes;
  });
  const { next, scannedTo } = reached;
  return {
    body: rows.page(reached),
    ids: Float64Array.from(ids),
    cursor: scannedTo,
    isFollowed: next !== null,
  };
}

/** Returns a row with an `event_id`, and with times that count (rules FWD-04 and FWD-05). */
function forwardedRow(stored: StoredRow, origin: string): StoredRow {
  const row: StoredValue[] = [...stored];
  const createdAt = row[CREATED_AT] as number;
  row[EVENT_ID] ??= hashedId([JSON.stringify(origin), String(storedIdOf(row)), String(createdAt)]);
  const timeIn = (place: number) => (row[place] as number | null) ?? Number.NaN;
  const times = new EventTimes(timeIn(CLIENT_TIMESTAMP), timeIn(ARRIVED_AT), createdAt);
  row[ARRIVED_AT] = times.firstArrival();
  if (times.isIgnored()) row[CLIENT_TIMESTAMP] = null;
  return row;
}

/** Returns a row with its whole metadata, unless that is larger than a batch (rule FWD-05). */
function withWholeMetadata(queries: Queries, row: StoredRow): StoredRow {
  const bytes = row[METADATA_BYTES] as number | null;
  if (bytes === null || bytes > TUNING.forward_batch_bytes) return row;
  const select = queries.prepared(QUERIES.selectWholeText, true);
  const found = select.get(storedIdOf(row)) as readonly [string] | undefined;
  return found === undefined ? row : row.with(METADATA, found[0]);
}

/** Returns the place of a column in a stored row. */
function placeOf(name: string): number {
  return COLUMNS.find((column) => column.name === name)!.stored;
}
