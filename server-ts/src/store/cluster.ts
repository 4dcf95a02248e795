/**
 * Binds a database to the stream that it is a copy of, and remembers how far it has followed it (rules CLU-02 and
 * CLU-05).
 *
 * Both are rows of `meta`. Invariant: the sequence changes in the transaction that stores its events, so each message
 * changes the copy once.
 */
import { hashedId } from '@twin-ingest/mapping/event-id.ts';
import type { EventTable } from '../event.ts';
import { QUERIES } from '../queries.ts';
import type { Attached } from './attachments.ts';
import { type ClusterChange, parseBounds } from './cluster-change.ts';
import { type Connection, Numbered, OpenError } from './connection.ts';
import type { Bounds } from './retention.ts';

/** What a start knows of the stream. */
export interface ClusterStream {
  /** Its name. */
  readonly name: string;
  /** Host and port of the server of NATS, for people. */
  readonly host: string;
  /** When it was created, in Unix milliseconds; or why that is not known. */
  readonly created: number | string;
  /** The sequence of the first message that it still has; at most 1 while it has all. */
  readonly firstSequence: number;
}

/** The place of a copy in its stream. */
export interface ClusterPlace {
  /** When the stream was created, in Unix milliseconds. */
  readonly createdMs: number;
  /** The newest sequence that the copy has. */
  readonly sequence: number;
  /** The bounds of retention; `undefined` when the stream has set none. */
  readonly bounds: Bounds | undefined;
}

/** The events of consecutive messages of the stream. */
export interface ClusterEvents {
  /** The events, in order. */
  readonly table: EventTable;
  /** The sequence of each message, which is the id of its event. */
  readonly sequences: Float64Array;
  /** The time of each message in the stream, in Unix milliseconds. */
  readonly times: Float64Array;
}

/** Consecutive messages of the stream. */
export interface ClusterGroup {
  /** The messages that hold an event; `undefined` without any. */
  readonly events: ClusterEvents | undefined;
  /** The change that follows the events; its message is the newest of the group. */
  readonly change: ClusterChange | undefined;
  /** The time of the change's message in the stream, in Unix milliseconds. */
  readonly changedAt: number;
  /**
   * The bytes of the attachment that the change adds; `undefined` when this server has them, or the bucket no longer does.
   */
  readonly file: string | undefined;
  /** The newest sequence of the group, also when its message holds no event. */
  readonly sequence: number;
}

/** The effect of a group. */
export interface Applied {
  /** The id of each event, 0 for a duplicate. */
  readonly ids: Float64Array;
  /** Number of events that the change deleted; `undefined` when it deleted nothing. */
  readonly deleted: number | undefined;
  /** What became of the attachment that the change adds; `undefined` for any other change. */
  readonly attached: Attached | undefined;
  /** Number of deleted attachments. */
  readonly removed: number;
}

/** Checks that a database belongs to this stream, or to none; binds a new one. Returns its place in the stream. */
export function bindCluster(
  db: Connection,
  path: string,
  newest: number,
  stream: ClusterStream | undefined,
): ClusterPlace | undefined {
  const bound = db.prepare(QUERIES.selectClusterStream).pluck().get() as string | undefined;
  const known = bound === undefined ? undefined : parseIdentity(bound);
  if (stream === undefined) {
    if (known !== undefined) throw OpenError.of('of_stream', { path, stream: known.name });
    return undefined;
  }
  const { name, host, created } = stream;
  let createdMs: number;
  if (known !== undefined) {
    const isRecreated = typeof created === 'number' && created !== known.createdMs;
    if (known.name !== name || isRecreated) {
      throw OpenError.of('other_stream', { path, found: bound!, stream: identity(stream) });
    }
    createdMs = known.createdMs;
  } else {
    if (newest > 0) throw OpenError.of('not_a_copy', { path });
    if (typeof created === 'string') throw OpenError.noStream(path, name, host, created);
    if (stream.firstSequence > 1) throw OpenError.of('messages_missing', { path, stream: name });
    new Numbered(db, QUERIES.insertClusterStream).run(identity(stream));
    createdMs = created;
  }
  // A restored copy has an epoch of its own, although it continues the same ids.
  new Numbered(db, QUERIES.updateClusterEpoch).run(hashedId([JSON.stringify(name), String(createdMs)]));
  const sequence = Number(db.prepare(QUERIES.selectClusterSequence).pluck().get());
  const bounds = db.prepare(QUERIES.selectClusterRetention).pluck().get() as string | undefined;
  return { createdMs, sequence, bounds: bounds === undefined ? undefined : parseBounds(bounds) };
}

/** Returns the newest sequence in a copy; `undefined` when the database is no copy (rule CLU-13). */
export function sequenceOf(db: Connection): number | undefined {
  if (db.prepare(QUERIES.selectClusterStream).get() === undefined) return undefined;
  return Number(db.prepare(QUERIES.selectClusterSequence).pluck().get());
}

/** Returns name and time of a stream as `meta` stores them. */
function identity({ name, created }: ClusterStream): string {
  return `${name} ${typeof created === 'number' ? created : 0}`;
}

function parseIdentity(text: string): { readonly name: string; readonly createdMs: number } {
  const [name = '', createdMs] = text.split(' ');
  return { name, createdMs: Number(createdMs) };
}
