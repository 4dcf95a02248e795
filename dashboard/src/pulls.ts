/**
 * Keeps visible data in sync with the stream, and records whether a fetch fails at the moment.
 *
 * Invariant: while a fetch fails, its data may be older than the last announcement, and `pullFailure` reports it. A
 * component that shows the connection's state must read both.
 */
import { computed, effect, signal, untracked } from '@preact/signals';
import { RefusedError, Sync, type SyncOptions } from '@twin-ingest/client';
import { connection } from './connection.ts';

/** The status of a failed fetch; null: no answer, or an answer that cannot be shown. */
interface Failure {
  readonly status: number | null;
}

/** The current failures by fetch. */
const failures = signal<ReadonlyMap<object, Failure>>(new Map());

/** One of the current failures; null while there is none. */
export const pullFailure = computed<Failure | null>(() => failures.value.values().next().value ?? null);

/** Runs until it is stopped or the signal aborts; a failed fetch is repeated. Returns a function that stops it. */
export function keepInStep<T>(
  throttle_ms: number,
  options: Omit<SyncOptions<T>, 'pace' | 'signal' | 'onError'>,
  signal: AbortSignal,
): () => void {
  const sync = new Sync<T>({
    ...options,
    pace: { throttle_ms },
    fetch: async (known, until) => {
      const snapshot = await options.fetch(known, until);
      if (snapshot === null) setFailure(sync, null);
      return snapshot;
    },
    apply: async (snapshot, isReset) => {
      await options.apply(snapshot, isReset);
      setFailure(sync, null);
    },
    onError: (_, error) => {
      setFailure(sync, { status: error instanceof RefusedError ? error.status : null });
    },
  });
  // When the server returns, the wait ends early.
  const endHurry = effect(() => {
    if (connection.value.state !== 'live' || !failures.peek().has(sync)) return;
    untracked(() => sync.refresh().catch(() => undefined));
  });
  const over = new AbortController();
  const stop = () => {
    over.abort();
    endHurry();
    sync.stop();
    setFailure(sync, null);
  };
  // Stopping removes this listener: each choice of filters has its own fetch, and the signal outlives all of them.
  signal.addEventListener('abort', stop, { signal: over.signal });
  sync.start().catch(() => undefined);
  return stop;
}

function setFailure(of: object, failure: Failure | null): void {
  const before = failures.peek();
  if (failure === null && !before.has(of)) return;
  const after = new Map(before);
  if (failure === null) after.delete(of);
  else after.set(of, failure);
  failures.value = after;
}
