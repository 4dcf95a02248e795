/** What a `Sync` is told, and what it tells: the shapes of invalidations and snapshots among them. */
import type { Clock } from './clock.ts';
import type { PaceOptions } from './pace.ts';
import { compareRevisions, isRevision, type Revision } from './revision.ts';

/** The topic has changed; what to, a pull tells. */
export interface Invalidation {
  readonly topic: string;
  readonly revision: string;
  readonly epoch: string;
  /** The database was put back to an older state of itself: what is known of it holds no more. */
  readonly reset?: boolean;
}

export function isInvalidation(heard: unknown): heard is Invalidation & Known {
  const { topic, revision, epoch } = Object(heard) as Partial<Record<keyof Invalidation, unknown>>;
  return (
    typeof topic === 'string' && topic.trim() !== '' && typeof epoch === 'string' && isRevision(revision)
  );
}

export interface Snapshot<T> {
  readonly epoch: string;
  readonly revision: string;
  /** What `data` adds to is this revision, and not nothing. */
  readonly since?: string;
  /** What is known cannot be added to: `data` is a whole state, which holds though its revision be a smaller one. */
  readonly reset?: boolean;
  /** `data` is a whole state where others add to one. */
  readonly whole?: boolean;
  readonly data: T;
}

/** What was applied last, so that a server may answer with what came since. */
export interface Known {
  readonly epoch: string;
  readonly revision: Revision;
}

/** Of one epoch. */
export function isOlder(a: Known, b: Known): boolean {
  return compareRevisions(a.revision, b.revision) < 0;
}

/** Where an error came from; `protocol` is what no server of this contract sends. */
export type Phase = 'subscribe' | 'fetch' | 'apply' | 'protocol';

export interface SyncOptions<T> {
  readonly topic: string;
  /** Resolves once invalidations arrive; returns how to end them. */
  subscribe(hear: (invalidation: unknown) => void, signal: AbortSignal): Promise<() => void>;
  /** The state of now. `null`: it is still what is known. */
  fetch(known: Known | null, signal: AbortSignal): Promise<Snapshot<T> | null>;
  /** Takes over a state; `isReset`: nothing of before holds any more. */
  apply(snapshot: Snapshot<T>, isReset: boolean): void | Promise<void>;
  onError?(phase: Phase, error: unknown): void;
  /** One frame of 16 ms, leading and trailing, unless said otherwise. */
  readonly pace?: Partial<PaceOptions>;
  /** Ends it, as `stop` does. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** From 0 to 1, for waits between attempts. */
  readonly random?: () => number;
}

/** What came of it so far. */
export interface SyncCounts {
  invalidations: number;
  fetches: number;
  applies: number;
  /** Fetches that brought nothing new. */
  unchanged: number;
  /** Snapshots that were older than what had been heard of. */
  stale: number;
}
