/**
 * A `Sync` over answers without a revision, such as filtered events: an answer is at least as new as the last
 * announcement before its request.
 */
import type { Invalidation, Known, Snapshot, SyncOptions, Topic } from '@twin-ingest/client';

/** Resolves with the last announcement of a topic, once there is one. */
export type Latest = (topic: string, signal: AbortSignal) => Promise<Invalidation>;

export function untagged<T>(
  { topic, subscribe }: Topic<unknown>,
  latest: Latest,
  get: (known: Known | null, signal: AbortSignal) => Promise<Pick<Snapshot<T>, 'data' | 'reset'>>,
): Pick<SyncOptions<T>, 'topic' | 'subscribe' | 'fetch'> {
  return {
    topic,
    subscribe,
    fetch: async (known, signal) => {
      const { epoch, revision } = await latest(topic, signal);
      if (known?.epoch === epoch && known.revision === revision) return null;
      return { epoch, revision, ...(await get(known?.epoch === epoch ? known : null, signal)) };
    },
  };
}
