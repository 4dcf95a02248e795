/**
 * Handles `GET /api/stream?mode=invalidate`: the changed topics and their revisions (rules SYN-02 to SYN-04).
 *
 * Clients with the same due topics receive the same bytes, encoded once. A slow client receives fewer notifications
 * but misses no state: it requests the content of a topic (`snapshot`).
 */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import type { Change } from '../slots.ts';
import type { Exchange } from './exchange.ts';
import { invalidateFrames, retryField, sendFrames } from './frames.ts';
import type { Parameters } from './parameters.ts';
import { stream } from './reply.ts';

/** Largest number of cached sets of due topics, which bounds memory. */
const KEPT_SETS = 64;

/** Opens a stream in invalidation mode (rules SYN-02 to SYN-04). */
export async function openInvalidations(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  if (exchange.head.method === 'HEAD') {
    stream(exchange);
    return;
  }
  const { response } = exchange;
  const subscription = app.invalidations.subscribe(
    parameters.topics('topics')!,
    parameters.number('min_interval_ms')!,
  );
  if (subscription === undefined) {
    throw new Failure('stream_limit', { max_clients: app.config.maxStreamClients });
  }
  response.once('close', () => subscription.close());
  stream(exchange);
  let isFirst = true;
  const feed = {
    next: async (idleMs: number) => {
      const next = await subscription.next(idleMs);
      if (typeof next === 'string') return next;
      const frames = app.sharedFrames.of(next);
      if (!isFirst) return frames;
      isFirst = false;
      return Buffer.concat([Buffer.from(retryField()), frames]);
    },
  };
  try {
    await sendFrames(response, feed, undefined, app.config.heartbeatMs, app.sendQueues, app.answers);
  } catch (error) {
    app.log.error({ reason: error instanceof Error ? error.message : String(error) }, 'stream failed');
  } finally {
    subscription.close();
    response.end();
  }
}

/** Encodes the frames of changes once for all clients with the same due topics. */
export class SharedFrames {
  private readonly epoch: string;
  private readonly made = new Map<string, Uint8Array>();

  constructor(epoch: string) {
    this.epoch = epoch;
  }

  of(changes: readonly Change[]): Uint8Array {
    // Each name follows its length: a session id may contain any separator.
    let key = '';
    for (const { topic, revision } of changes) key += `${revision} ${topic.name.length} ${topic.name}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    if (this.made.size >= KEPT_SETS) this.made.clear();
    const bytes = Buffer.from(invalidateFrames(changes, this.epoch));
    this.made.set(key, bytes);
    return bytes;
  }
}
