/**
 * Describes the messages between the two halves of the writer: `writer` on the main thread, `writer-thread` in its
 * worker.
 *
 * Only server-ts has this file: Rust moves the parts of a message.
 */
import type { MemoryNews } from '../buffers.ts';
import type { Prices } from '../prices.ts';
import type { MovedAside } from './attachment-files.ts';
import type { FolderOwner } from './attachment-folder.ts';
import type { Attached, Attachment } from './attachments.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ClusterPlace, ClusterStream } from './cluster.ts';
import type { ClusterChange } from './cluster-change.ts';
import type { ConnectionOptions } from './connection.ts';
import type { Scope } from './deletions.ts';
import type { StoreCode } from './failure.ts';
import type { Bounds, DeletionResult, Progress } from './retention.ts';

/** Start parameters of the thread; a message names the file later. */
export interface WriterData {
  readonly role: 'writer';
  /** Entry module of the checkpointer's thread. */
  readonly entry: string;
}

/** Facts about the file for the main thread. */
export interface Opened {
  readonly epoch: string;
  readonly newest: number;
  /** The newest id that a deletion took. */
  readonly lastDeletion: number;
  readonly sqliteVersion: string;
  /** SQLite's compile options, sorted by bytes. */
  readonly compileOptions: readonly string[];
  /** The effective pragmas of the writing connection after opening, in the order of the health answer. */
  readonly pragmas: Readonly<Record<string, string | number>>;
  readonly inode: number;
  readonly device: number;
  /** Whether the start found a write-ahead log, so the last server did not stop cleanly. */
  readonly wasUnclean: boolean;
  /** Number of frames at the end of the write-ahead log that were not recovered. */
  readonly lostFrames: number;
  /** Size of all attachments, each content once. */
  readonly attachmentBytes: number;
  /** What the folder of attachments agrees with. */
  readonly owner: Pick<FolderOwner, 'id' | 'token'>;
  /** What the start moved out of the folder of attachments. */
  readonly movedAside: readonly MovedAside[];
  /** The place in the stream that the file is a copy of, if it is one. */
  readonly place: ClusterPlace | undefined;
}

interface GroupMessage {
  readonly kind: 'group';
  /** The submissions, in the form of `putSubmission`. */
  readonly jobs: readonly number[];
  /** Memory that is transferred with them. */
  readonly moved: readonly ArrayBuffer[];
  readonly news: MemoryNews | undefined;
}

/** Messages of a stream. The answer carries the same number. */
interface ApplyMessage extends Omit<GroupMessage, 'kind'> {
  readonly kind: 'apply';
  readonly number: number;
  readonly sequences: Float64Array;
  readonly times: Float64Array;
  readonly change: ClusterChange | undefined;
  readonly changedAt: number;
  readonly file: string | undefined;
  readonly sequence: number;
}

interface OpenMessage extends ConnectionOptions {
  readonly kind: 'open';
  readonly prices: Prices | undefined;
  /** What the cursor of a receiver is made of. */
  readonly forward: { readonly url: string; readonly memory: SharedArrayBuffer } | undefined;
  readonly cluster: ClusterStream | undefined;
}

export type ToWriter =
  | GroupMessage
  | ApplyMessage
  /** The answer carries the same number. */
  | { readonly kind: 'attach'; readonly number: number; readonly attachment: Attachment }
  | OpenMessage
  /** The answer carries the same number. */
  | { readonly kind: 'delete'; readonly number: number; readonly scope: Scope }
  | { readonly kind: 'bounds'; readonly bounds: Bounds }
  /** Once a second: the bounds of retention are checked again. */
  | { readonly kind: 'tick' }
  | { readonly kind: 'probe' }
  | { readonly kind: 'close' };

/** A committed group. */
export interface Stored {
  readonly kind: 'stored';
  /**
   * The ids of all jobs in order, as in `Submitted`. Absent when every event is new: then the ids end with the newest.
   */
  readonly ids: Float64Array | undefined;
  readonly stored: number;
  readonly newest: number;
  /** Number of its events with a client's time that does not count. */
  readonly ignoredTimes: number;
  /** Time of its transaction. */
  readonly durationMs: number;
  /** Time of its commit, as `sharedNowMs` returns it. */
  readonly committedMs: number;
  /** Memory that was transferred with the group. */
  readonly moved: readonly ArrayBuffer[];
}

/** An applied group; its change may have deleted events. */
interface AppliedMessage extends Omit<Stored, 'kind' | 'ids'> {
  readonly kind: 'applied';
  readonly number: number;
  readonly ids: Float64Array;
  readonly deleted: number | undefined;
  readonly attached: Attached | undefined;
  readonly removed: number;
  /** Bytes of contents that it removed, less those that it added. */
  readonly freedBytes: number;
}

/** A line at level warn for the log. */
export interface Warning {
  readonly kind: 'warning';
  readonly facts: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export type FromWriter =
  | ({ readonly kind: 'opened' } & Opened)
  | Warning
  | { readonly kind: 'unusable'; readonly exit: number; readonly message: string }
  | Stored
  | AppliedMessage
  | { readonly kind: 'not_applied'; readonly number: number; readonly code: StoreCode }
  /** No event of the group was tried. */
  | { readonly kind: 'refused'; readonly code: StoreCode }
  | { readonly kind: 'failed'; readonly code: StoreCode; readonly reason: string }
  | { readonly kind: 'attached'; readonly number: number; readonly attached: Attached | AttachFailure }
  /** A step of a deletion. */
  | ({ readonly kind: 'progress' } & Progress)
  | { readonly kind: 'deleted'; readonly number: number; readonly result: DeletionResult }
  | { readonly kind: 'probed'; readonly code: StoreCode | undefined }
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint; readonly durationMs: number }
  /** A failure outside a group. */
  | { readonly kind: 'unwell'; readonly code: StoreCode; readonly reason: string }
  | { readonly kind: 'closed' };

/** Reasons why an attachment was not stored. */
export interface AttachFailure {
  readonly code: StoreCode;
}
