/** Defines the options of a `Sync`, including the shapes of invalidations and snapshots. */
import type { Clock } from './clock.ts';
import type { PaceOptions } from './pace.ts';
import { compareRevisions, isRevision, type Revision } from './revision.ts';

/** Reports that the topic has changed. A fetch returns the new state. */
export interface Invalidation {
  readonly topic: string;
  readonly revision: string;
  readonly epoch: string;
  /** The database was restored to an older state: known states are no longer valid. */
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
  /** If present, `data` adds to the state of this revision. */
  readonly since?: string;
  /** If true, `data` cannot add to the known state. It is a complete state, valid even if its revision is lower. */
  readonly reset?: boolean;
  /** If true, `data` is a complete state, in a topic whose other snapshots may add to a state. */
  readonly whole?: boolean;
  readonly data: T;
}

/** The last applied revision, so that a server may answer with the changes since. */
export interface Known {
  readonly epoch: string;
  readonly revision: Revision;
}

/** Returns whether `a` is older than `b`. Both belong to one epoch. */
export function isOlder(a: Known, b: Known): boolean {
  return compareRevisions(a.revision, b.revision) < 0;
}

/** The source of an error; `protocol` means data that no server of this contract sends. */
export type Phase = 'subscribe' | 'fetch' | 'apply' | 'protocol';

export interface SyncOptions<T> {
  readonly topic: string;
  /** Resolves once invalidations arrive. Returns a function that ends the subscription. */
  subscribe(hear: (invalidation: unknown) => void, signal: AbortSignal): Promise<() => void>;
  /** Fetches the current state. Resolves to `null` if the known state is still current. */
  fetch(known: Known | null, signal: AbortSignal): Promise<Snapshot<T> | null>;
  /** Applies a state. `isReset` means that no earlier state is valid any more. */
  apply(snapshot: Snapshot<T>, isReset: boolean): void | Promise<void>;
  onError?(phase: Phase, error: unknown): void;
  /** When to fetch; by default a throttle of one frame of 16 ms, leading and trailing. */
  readonly pace?: Partial<PaceOptions>;
  /** Stops the `Sync` when it aborts. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Returns numbers from 0 to 1, for waits between attempts. */
  readonly random?: () => number;
}

/** Counts so far. */
export interface SyncCounts {
  invalidations: number;
  fetches: number;
  applies: number;
  /** Number of fetches without a new state. */
  unchanged: number;
  /** Number of snapshots older than the largest announced revision. */
  stale: number;
}
