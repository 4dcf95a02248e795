/** Defines the options of a `Sync`: the shapes of invalidations and snapshots among them. */
import type { Clock } from './clock.ts';
import type { PaceOptions } from './pace.ts';
import { compareRevisions, isRevision, type Revision } from './revision.ts';

/** The topic has changed; a fetch returns the new state. */
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
  /** `data` adds to the state of this revision. */
  readonly since?: string;
  /** `data` cannot add to the known state. It is a whole state, valid even when its revision is lower. */
  readonly reset?: boolean;
  /** `data` is a whole state, in a topic where other snapshots add to one. */
  readonly whole?: boolean;
  readonly data: T;
}

/** The last applied revision, so that a server may answer with the changes since. */
export interface Known {
  readonly epoch: string;
  readonly revision: Revision;
}

/** Compares two revisions of one epoch. */
export function isOlder(a: Known, b: Known): boolean {
  return compareRevisions(a.revision, b.revision) < 0;
}

/** The source of an error; `protocol` means data that no server of this contract sends. */
export type Phase = 'subscribe' | 'fetch' | 'apply' | 'protocol';

export interface SyncOptions<T> {
  readonly topic: string;
  /** Resolves once invalidations arrive; returns a function that ends them. */
  subscribe(hear: (invalidation: unknown) => void, signal: AbortSignal): Promise<() => void>;
  /** Fetches the current state. `null`: the known state is still current. */
  fetch(known: Known | null, signal: AbortSignal): Promise<Snapshot<T> | null>;
  /** Applies a state; `isReset`: no earlier state is valid any more. */
  apply(snapshot: Snapshot<T>, isReset: boolean): void | Promise<void>;
  onError?(phase: Phase, error: unknown): void;
  /** One frame of 16 ms, leading and trailing, by default. */
  readonly pace?: Partial<PaceOptions>;
  /** Ends it, like `stop`. */
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
  /** Fetches without a new state. */
  unchanged: number;
  /** Snapshots older than the largest announced revision. */
  stale: number;
}
