/**
 * Publishes events to the stream, and answers once the copy of this server has them (rule CLU-04).
 *
 * Invariant: messages are published in the order of the submissions.
 */
import { CLUSTER, LIMITS } from '../contract.ts';
import type { ErrorCode } from '../error.ts';
import type { Log } from '../log.ts';
import type { EventSource } from '../meters.ts';
import type { Store } from '../store/index.ts';
import { type Link, reasonOf } from './link.ts';
import type { Message } from './message.ts';
import type { Progress } from './progress.ts';

/** Room in a message for its headers. */
const HEADER_BYTES = 512;

/** The outcomes of a request's events: ids in order, 0 for a duplicate; or the reason why they are not known. */
type Published = { readonly ids: Float64Array } | { readonly code: ErrorCode; readonly isStillRead: false };

/** The acknowledgement of a message. */
interface Acknowledged {
  readonly seq: number;
  readonly duplicate: boolean;
}

/** Publishes the events of requests. */
export class Publisher {
  private readonly link: Link;
  private readonly store: Store;
  private readonly progress: Progress;
  private readonly log: Log;

  constructor(link: Link, store: Store, progress: Progress, log: Log) {
    this.link = link;
    this.store = store;
    this.progress = progress;
    this.log = log;
  }

  /**
   * Publishes messages at once; settles when the copy of this server has them. A change has no source, and counts as no
   * event.
   */
  async publish(messages: readonly Message[], source: EventSource | undefined): Promise<Published> {
    const failed = (code: ErrorCode): Published => ({ code, isStillRead: false });
    if (this.store.refusal !== undefined) return failed(this.store.refusal);
    const { current } = this.link;
    if (current === undefined) return failed('cluster_unavailable');
    const most = current.connection.info?.max_payload ?? 0;
    if (messages.some(({ payload }) => payload.length + HEADER_BYTES > most))
      return failed('cluster_unsupported');
    const deadline = AbortSignal.timeout(LIMITS.cluster_answer_ms);
    try {
      await this.progress.following(deadline);
      const before = this.progress.applied;
      const acks = messages.map((message) => this.send(current.client, message));
      const ids = await this.settle(await Promise.all(acks), before, deadline);
      if (source !== undefined) this.count(source, ids);
      return { ids };
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, 'the stream did not confirm an event');
      return failed('cluster_unavailable');
    }
  }

  private send(
    client: NonNullable<Link['current']>['client'],
    { payload, key, wait, isTruncated, change }: Message,
  ): Promise<Acknowledged> {
    const headers = this.link.library.headers();
    if (wait !== undefined) headers.set(CLUSTER.headers.wait, wait);
    if (isTruncated) headers.set(CLUSTER.headers.truncated, '1');
    if (change !== undefined) headers.set(CLUSTER.headers.change, change);
    const id = key === undefined ? {} : { msgID: key };
    return client.publish(this.link.subject, payload, { ...id, headers, timeout: LIMITS.cluster_answer_ms });
  }

  /**
   * Waits until the copy has all acknowledged messages; returns the ids of the stored ones. `before` is what the copy had
   * when they were published.
   */
  private async settle(
    acks: readonly Acknowledged[],
    before: number,
    deadline: AbortSignal,
  ): Promise<Float64Array> {
    // Only a stream that was created again gives out such a sequence.
    if (acks.some(({ seq, duplicate }) => seq <= before && !duplicate)) throw new Error('another stream');
    const newest = acks.reduce((most, { seq }) => Math.max(most, seq), 0);
    await this.progress.reached(newest, deadline);
    // The stream forgets a key after its window, and a copy never does.
    const isStored = ({ seq, duplicate }: Acknowledged): boolean =>
      !duplicate && !this.progress.isDuplicate(seq);
    return Float64Array.from(acks, (ack) => (isStored(ack) ? ack.seq : 0));
  }

  /** Counts the events of a request at the server that received it. */
  private count(source: EventSource, ids: Float64Array): void {
    const duplicates = ids.filter((id) => id === 0).length;
    this.store.meters.countEvents('accepted', source, ids.length - duplicates);
    this.store.meters.countEvents('duplicate', source, duplicates);
  }
}
