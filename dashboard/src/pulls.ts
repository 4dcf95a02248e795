/**
 * Pulls that keep what is shown in step with what the stream tells of, and whether one of them fails at the moment.
 *
 * What must stay true: while a pull fails, what it is for may be older than what was heard of, and `pullFailure` says
 * so; who shows the state of the connection has to look at both.
 */
import { computed, effect, signal, untracked } from '@preact/signals';
import { RefusedError, Sync, type SyncOptions } from '@twin-ingest/client';
import { connection } from './connection.ts';

/** The status that a pull was refused with; null: no answer, or none that can be shown. */
interface Failure {
  readonly status: number | null;
}

/** By pull. */
const failures = signal<ReadonlyMap<object, Failure>>(new Map());

/** Of one of the pulls that fail; null while none does. */
export const pullFailure = computed<Failure | null>(() => failures.value.values().next().value ?? null);

/** Goes on until it is stopped, or the signal aborts: what fails is repeated. Returns how to stop it. */
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
  // A server that is back need not be waited for as long as one that is away.
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
  // Gone with this pull: there is one for every choice of filters, and the signal outlives them all.
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
