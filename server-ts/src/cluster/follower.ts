/**
 * Follows the stream, and stores its messages in the copy of this server (rule CLU-05).
 *
 * Invariant: a message is stored once, in the order of the sequences. After any contradiction the follower asks again from
 * the sequence that the copy has.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerMessages, JsMsg, StreamInfo } from '@nats-io/jetstream';
import type { Buffers } from '../buffers.ts';
import { CLUSTER, TUNING } from '../contract.ts';
import type { Log } from '../log.ts';
import type { ClusterEvents } from '../store/cluster.ts';
import type { ClusterChange } from '../store/cluster-change.ts';
import type { Store } from '../store/index.ts';
import { MissingBytes } from './bucket.ts';
import { readChange } from './change.ts';
import { createdMs, type Link, reasonOf, UNREACHABLE } from './link.ts';
import { type Received, readMessages } from './message.ts';
import type { Objects } from './objects.ts';
import type { Progress } from './progress.ts';
import type { Sweeper } from './sweeper.ts';

/** Time in nanoseconds after which NATS forgets a consumer without a follower. */
const INACTIVE_NANOS = 30_000_000_000;
const MILLISECOND_NANOS = 1_000_000n;

/** Follows the stream of one server. */
export class Follower {
  private readonly link: Link;
  private readonly store: Store;
  private readonly progress: Progress;
  private readonly buffers: Buffers;
  private readonly objects: Objects;
  private readonly sweeper: Sweeper;
  private readonly log: Log;
  private readonly ended = new AbortController();
  private messages: ConsumerMessages | undefined;

  constructor(
    link: Link,
    store: Store,
    progress: Progress,
    buffers: Buffers,
    objects: Objects,
    sweeper: Sweeper,
    log: Log,
  ) {
    this.link = link;
    this.store = store;
    this.progress = progress;
    this.buffers = buffers;
    this.objects = objects;
    this.sweeper = sweeper;
    this.log = log;
    // A consumer in memory may have ended with its server.
    link.onChanged = () => this.messages?.stop();
  }

  /** Ends the following. */
  close(): void {
    this.ended.abort();
    this.messages?.stop();
  }

  /** Follows until the end. */
  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const failure = await this.follow().catch((error: unknown) => {
        if (error instanceof MissingBytes) return error.message;
        this.log.warn({ reason: reasonOf(error) }, 'the stream cannot be followed');
        return UNREACHABLE;
      });
      if (signal.aborted) return;
      this.progress.fail(failure);
      await sleep(TUNING.cluster_retry_ms, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Follows until something contradicts the copy; returns why, or `undefined` when only the consumer ended. */
  private async follow(): Promise<string | undefined> {
    const { current } = this.link;
    if (current === undefined) return UNREACHABLE;
    const { name } = this.link.source;
    const info = await this.link.answer(() => current.manager.streams.info(name));
    if (info === undefined) return UNREACHABLE;
    const failure = this.contradiction(info);
    if (failure !== undefined) return failure;
    const { AckPolicy, DeliverPolicy } = this.link.library;
    const config = {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.progress.applied + 1,
      ack_policy: AckPolicy.None,
      inactive_threshold: INACTIVE_NANOS,
      mem_storage: true,
      num_replicas: 1,
    };
    // NATS may choose a server that has just ended, so each request is for another consumer.
    const consumer = await this.link.answer(() => current.manager.consumers.add(name, config));
    if (consumer === undefined) return UNREACHABLE;
    const messages = await current.client.consumers.getConsumerFromInfo(consumer).consume({
      max_messages: TUNING.cluster_group_events,
      idle_heartbeat: TUNING.cluster_heartbeat_ms,
      expires: 5 * TUNING.cluster_heartbeat_ms,
      abort_on_missing_resource: true,
    });
    this.messages = messages;
    this.progress.begin(consumer.num_pending);
    void this.watch(messages);
    try {
      await this.read(messages);
    } finally {
      this.messages = undefined;
      messages.stop();
      // NATS would keep it for a while, and refuses more than 1,000 of a stream.
      void current.manager.consumers.delete(name, consumer.name).catch(() => {});
    }
    return undefined;
  }

  /** Ends a consumer that misses two heartbeats. */
  private async watch(messages: ConsumerMessages): Promise<void> {
    for await (const notice of messages.status()) {
      if (notice.type === 'heartbeats_missed' && notice.count >= 2) messages.stop();
    }
  }

  private async read(messages: ConsumerMessages): Promise<void> {
    const iterator = messages[Symbol.asyncIterator]();
    let delivered = 0;
    for (;;) {
      const group = new Reading(this.progress.applied);
      // A group has the messages that arrived while the previous one was stored.
      do {
        const next: IteratorResult<JsMsg> = await iterator.next();
        if (next.done === true || next.value.info.deliverySequence !== delivered + 1) {
          await this.apply(group);
          return;
        }
        delivered += 1;
        this.take(group, next.value);
      } while (!group.isFull && messages.getReceived() > delivered);
      if (!(await this.apply(group))) return;
    }
  }

  private take(group: Reading, message: JsMsg): void {
    const { streamSequence, pending } = message.info;
    group.sequence = streamSequence;
    group.waiting = pending;
    group.bytes += message.data.length;
    const header = (name: string): string | undefined =>
      message.headers?.has(name) === true ? message.headers.get(name) : undefined;
    const name = header(CLUSTER.headers.change);
    if (name !== undefined) {
      group.change = readChange(name, message.data);
      group.changedAt = timeOf(message);
      const sequence = { sequence: streamSequence };
      if (group.change === undefined)
        this.log.warn(sequence, 'a message of the stream is no change that this server knows');
      return;
    }
    group.received.push({
      sequence: streamSequence,
      createdAt: timeOf(message),
      payload: message.data,
      wait: header(CLUSTER.headers.wait),
      isTruncated: header(CLUSTER.headers.truncated) !== undefined,
    });
  }

  /** Returns why the copy cannot continue this stream. */
  private contradiction(info: StreamInfo): string | undefined {
    const { applied } = this.progress;
    if (createdMs(info) !== this.store.place?.createdMs) return 'another_stream';
    if (info.state.last_seq < applied) return 'stream_behind';
    return info.state.first_seq > applied + 1 ? 'messages_missing' : undefined;
  }

  /** Stores a group; returns whether the copy has it. */
  private async apply(group: Reading): Promise<boolean> {
    const { change, changedAt, sequence, waiting } = group;
    if (sequence === this.progress.applied) return true;
    // The bytes come before the row, as in an upload.
    const file = change?.kind === 'attach' ? await this.objects.content(change) : undefined;
    const events = this.eventsOf(group.received);
    const applied = await this.store.apply({ events, change, changedAt, file, sequence });
    if ('code' in applied) return false;
    if (change?.kind === 'retain') this.store.setBounds({ days: change.days, bytes: change.bytes });
    const { deleted, attached, removed } = applied;
    if (deleted !== undefined) this.progress.noteDeletion(sequence, deleted);
    if (attached !== undefined) this.progress.noteAttachment(sequence, attached);
    if (removed > 0 || attached === 'no_event') this.sweeper.note();
    const duplicates = events?.sequences.filter((_, at) => applied.ids[at] === 0);
    this.progress.advance(sequence, duplicates ?? [], waiting);
    return true;
  }

  /** Returns the events of the messages; `undefined` without any. */
  private eventsOf(received: readonly Message[]): ClusterEvents | undefined {
    const { table, indexes } = readMessages(received, this.buffers);
    if (indexes.length < received.length) {
      const known = new Set(indexes);
      for (const [index, { sequence }] of received.entries())
        if (!known.has(index)) this.log.warn({ sequence }, 'a message of the stream is no event');
    }
    return (
      table && {
        table,
        sequences: Float64Array.from(indexes, (index) => received[index]!.sequence),
        times: Float64Array.from(indexes, (index) => received[index]!.createdAt),
      }
    );
  }
}

/** A message of the stream that is no change. */
interface Message extends Received {
  readonly sequence: number;
  /** Its time in the stream, in Unix milliseconds. */
  readonly createdAt: number;
}

/** Returns the time of a message in the stream, in Unix milliseconds. */
function timeOf(message: JsMsg): number {
  return Number(message.timestampNanos / MILLISECOND_NANOS);
}

/** A group that is being read, and the number of messages behind it. */
class Reading {
  readonly received: Message[] = [];
  change: ClusterChange | undefined;
  changedAt = 0;
  sequence: number;
  bytes = 0;
  waiting = 0;

  constructor(sequence: number) {
    this.sequence = sequence;
  }

  get isFull(): boolean {
    // A change comes after the events of its group.
    return (
      this.change !== undefined ||
      this.received.length >= TUNING.cluster_group_events ||
      this.bytes >= TUNING.cluster_group_bytes
    );
  }
}
