/**
 * Describes reads and their results as they cross to a reader's thread and back.
 *
 * In Rust a read is a closure; here it is a message, since threads of Node share no functions.
 */
import type { Format } from '../formats/index.ts';
import type { SnapshotHead } from '../render/snapshot.ts';
import type { Topic } from '../topics.ts';
import type { ConnectionOptions } from './connection.ts';
import type { StoreCode } from './failure.ts';
import type { EventFilter } from './query.ts';
import type { SessionFilter } from './session-query.ts';
import type { StatsFilter } from './totals.ts';

export interface ReaderData extends ConnectionOptions {
  readonly role: 'reader';
  readonly sessionTimeoutMinutes: number;
  readonly waitingStaleHours: number;
}

/** A read with one answer, in JSON but for a page of events; nothing where there is no such row. */
export type JsonRead =
  | { readonly kind: 'list_events'; readonly filter: EventFilter; readonly format: Format }
  | { readonly kind: 'get_event'; readonly id: number }
  | { readonly kind: 'list_sessions'; readonly filter: SessionFilter }
  | { readonly kind: 'get_session'; readonly id: string; readonly limit: number }
  | { readonly kind: 'stats'; readonly filter: StatsFilter }
  | { readonly kind: 'tools'; readonly filter: StatsFilter }
  | { readonly kind: 'costs'; readonly filter: StatsFilter; readonly limit: number }
  | { readonly kind: 'filter_options' };

/** A topic's state, with its revision, of one moment (rules SYN-05 to SYN-07). */
export interface SnapshotRead {
  readonly kind: 'snapshot';
  readonly topic: Topic;
  /** The format of a snapshot of events; all others are JSON. */
  readonly format: Format;
  readonly epoch: string;
  readonly limit: number;
  /** Of events: only those above this revision, where they are no more than the limit. */
  readonly since: number | undefined;
  /** Whether `since` is of another epoch. */
  readonly isReset: boolean;
  /** Revisions that need no answer, since the asker has them. */
  readonly known: KnownRevisions;
}

/** Revisions as text; `any` is all that there are. */
export type KnownRevisions = 'any' | readonly string[];

/** A revision, and the state unless it was known; nothing where there is no such session. */
export type Snapshot<Data = string | Uint8Array> =
  | {
      readonly revision: number;
      readonly data: Data | undefined;
      /** The read of the next page, of a state that is sent page by page. */
      readonly next?: ExportRead | undefined;
    }
  | undefined;

/** The read of a page of an export (rule FMT-09). */
export interface ExportRead {
  readonly kind: 'export';
  readonly format: Format;
  readonly filter: EventFilter;
  /** How many rows may still come. */
  readonly left: number;
  /** The newest id of the beginning, once it is known. */
  readonly newest?: number;
  readonly isFirst: boolean;
  /** Of a snapshot, in the read of its first page. */
  readonly head?: SnapshotHead;
}

/** A page of an export, and the read of the page behind it. */
export interface ExportPage {
  readonly bytes: Uint8Array;
  readonly next: ExportRead | undefined;
}

export type Read =
  | JsonRead
  | SnapshotRead
  | ExportRead
  /** The revisions of sessions, in their order. */
  | { readonly kind: 'session_revisions'; readonly ids: readonly string[] }
  /** Frames of the stream, oldest first, as far as a page goes. */
  | { readonly kind: 'events_after'; readonly filter: EventFilter }
  | { readonly kind: 'health' }
  | { readonly kind: 'quick_check' };

/** Rows as frames of the stream, end to end; `ends[i]` is where frame `i` ends. */
export interface Frames {
  readonly bytes: Uint8Array;
  readonly ids: Float64Array;
  readonly ends: Uint32Array;
  /** For the filters of those who share the frames. */
  readonly names: readonly (readonly [sessionId: string, agentType: string, eventType: string])[];
  /** Whether the page stopped before the rows did. */
  readonly more: boolean;
}

export interface HealthFigures {
  readonly epoch: string;
  readonly sqliteVersion: string;
  readonly journalMode: string;
  readonly synchronous: string;
}

/** What the thread answers. */
export type ReadResult =
  | { readonly kind: 'json'; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot<Uint8Array> }
  | ({ readonly kind: 'export' } & ExportPage)
  | { readonly kind: 'revisions'; readonly revisions: Float64Array }
  | ({ readonly kind: 'frames' } & Frames)
  | ({ readonly kind: 'health' } & HealthFigures)
  | { readonly kind: 'checked'; readonly found: string }
  | { readonly kind: 'failed'; readonly code: StoreCode; readonly reason: string };
