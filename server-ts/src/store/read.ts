/**
 * Describes reads and results as messages to and from a reader's thread.
 *
 * In Rust a read is a closure. Here it is a message, since threads of Node share no functions.
 */
import type { Digest } from '../digest.ts';
import type { Format } from '../formats/index.ts';
import type { SnapshotHead } from '../render/snapshot.ts';
import type { Topic } from '../topics.ts';
import type { NextStep } from './cluster-change.ts';
import type { ConnectionOptions } from './connection.ts';
import type { Scope } from './deletions.ts';
import type { StoreCode } from './failure.ts';
import type { ForwardBatch } from './forwarding.ts';
import type { EventFilter } from './query.ts';
import type { Bounds, Due, dueBound } from './retention.ts';
import type { SeriesFilter } from './series-filter.ts';
import type { SessionFilter } from './session-query.ts';
import type { DayCost, Signal } from './signals.ts';
import type { TimeCursor } from './time-search.ts';
import type { StatsFilter } from './totals.ts';

export interface ReaderData extends ConnectionOptions {
  readonly role: 'reader';
  readonly sessionTimeoutMinutes: number;
  readonly waitingStaleHours: number;
}

/** A read with one answer, in JSON except for a page of events; `undefined` when the row does not exist. */
export type JsonRead =
  | { readonly kind: 'list_events'; readonly filter: EventFilter; readonly format: Format }
  /** Events in the order of their times. */
  | {
      readonly kind: 'list_by_time';
      readonly filter: EventFilter;
      readonly cursor: TimeCursor | undefined;
    }
  | { readonly kind: 'get_event'; readonly id: number }
  | { readonly kind: 'has_event'; readonly id: number }
  | { readonly kind: 'list_attachments'; readonly event: number }
  | { readonly kind: 'attachment_file'; readonly sha256: Digest }
  | { readonly kind: 'list_sessions'; readonly filter: SessionFilter }
  | { readonly kind: 'get_session'; readonly id: string; readonly limit: number }
  | { readonly kind: 'stats'; readonly filter: StatsFilter }
  | { readonly kind: 'tools'; readonly filter: StatsFilter }
  | { readonly kind: 'costs'; readonly filter: StatsFilter; readonly limit: number }
  | { readonly kind: 'series'; readonly filter: SeriesFilter }
  | { readonly kind: 'filter_options' }
  | { readonly kind: 'retention'; readonly bounds: Bounds };

/** A topic's state and its revision from one transaction (rules SYN-05 to SYN-08). */
export interface SnapshotRead {
  readonly kind: 'snapshot';
  readonly topic: Topic;
  /** The format of a snapshot of events; all other snapshots are JSON. */
  readonly format: Format;
  readonly epoch: string;
  readonly limit: number;
  /** Revision above which events are read, if they fit the page size. */
  readonly since: number | undefined;
  /** Whether `since` belongs to another epoch. */
  readonly isReset: boolean;
  /** Revisions that the client already holds, so that they need no state. */
  readonly known: KnownRevisions;
}

/** Revisions as text; `any` means every revision. */
export type KnownRevisions = 'any' | readonly string[];

/** A revision, and the state unless the client holds it; `undefined` when the session does not exist. */
export type Snapshot<Data = string | Uint8Array> =
  | {
      readonly revision: number;
      readonly data: Data | undefined;
      /** The read of the next page, for a state in several pages. */
      readonly next?: ExportRead | undefined;
    }
  | undefined;

/** The read of a page of an export (rule FMT-09). */
export interface ExportRead {
  readonly kind: 'export';
  readonly format: Format;
  readonly filter: EventFilter;
  /** Number of rows that may still follow. */
  readonly left: number;
  /** The newest id at the start of the export, once known. */
  readonly newest?: number;
  readonly isFirst: boolean;
  /** The members before the data of a snapshot, in the read of its first page. */
  readonly head?: SnapshotHead;
}

/** The read of the next events for a receiver. */
export interface ForwardRead {
  readonly kind: 'forward';
  readonly format: Format;
  readonly above: number;
  readonly most: number;
}

/** A page of an export, and the read of the page after it. */
export interface ExportPage {
  readonly bytes: Uint8Array;
  readonly next: ExportRead | undefined;
}

/** The read of the next step of a deletion on all copies. */
export interface StepRead {
  readonly kind: 'next_step';
  readonly scope: Scope;
  /** The first block of a session that is left. */
  readonly block: number;
}

/** The read of the newest id that the bounds let a step delete. */
export interface DueRead {
  readonly kind: 'due';
  readonly bounds: Omit<Due, 'lastId' | 'most'>;
}

export type Read =
  | JsonRead
  | StepRead
  | DueRead
  | SnapshotRead
  | ExportRead
  | ForwardRead
  /** The revisions of sessions, in their order. */
  | { readonly kind: 'session_revisions'; readonly ids: readonly string[] }
  /** Frames of the stream, oldest first, up to the size of a page. */
  | { readonly kind: 'events_after'; readonly filter: EventFilter }
  /** What notifications need of the events above an id. */
  | { readonly kind: 'signals'; readonly after: number; readonly newest: number }
  /** The cost of the day from one time in Unix seconds up to another. */
  | { readonly kind: 'day_cost'; readonly startS: number; readonly endS: number }
  | { readonly kind: 'health' }
  | { readonly kind: 'check_table'; readonly place: number };

/** Rows as concatenated frames of the stream; `ends[i]` is the end of frame `i`. */
export interface Frames {
  readonly bytes: Uint8Array;
  readonly ids: Float64Array;
  readonly ends: Uint32Array;
  /** The values of each row that the filters of the clients compare. */
  readonly names: readonly (readonly [sessionId: string, agentType: string, eventType: string])[];
  /** The id up to which the page has every matching row. */
  readonly scannedTo: number;
}

export interface HealthFigures {
  readonly epoch: string;
  readonly sqliteVersion: string;
  readonly journalMode: string;
  readonly synchronous: string;
}

/** The thread's answer. */
export type ReadResult =
  | { readonly kind: 'json'; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot<Uint8Array> }
  | ({ readonly kind: 'export' } & ExportPage)
  | ({ readonly kind: 'forward' } & ForwardBatch)
  | { readonly kind: 'step'; readonly step: NextStep | undefined }
  | { readonly kind: 'due'; readonly due: ReturnType<typeof dueBound> }
  | { readonly kind: 'revisions'; readonly revisions: Float64Array }
  | ({ readonly kind: 'frames' } & Frames)
  | { readonly kind: 'signals'; readonly signals: readonly Signal[] }
  | ({ readonly kind: 'day_cost' } & DayCost)
  | ({ readonly kind: 'health' } & HealthFigures)
  | { readonly kind: 'checked'; readonly found: string | undefined }
  | { readonly kind: 'failed'; readonly code: StoreCode; readonly reason: string };
