/**
 * Stores events in a stream of NATS JetStream that several servers share (rules CLU-01 to CLU-08).
 *
 * A publisher sends the events of requests to the stream. A follower stores every message of the stream in the copy of
 * this server, from which all reads come. Invariant: no event reaches the copy except through the stream.
 */
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import { digestHex } from '../digest.ts';
import { Failure } from '../error.ts';
import type { EventTable } from '../event.ts';
import type { Log } from '../log.ts';
import type { EventSource } from '../meters.ts';
import type { TemporaryFile } from '../store/attachment-files.ts';
import type { Attached, Attachment } from '../store/attachments.ts';
import type { ClusterChange } from '../store/cluster-change.ts';
import type { Scope } from '../store/deletions.ts';
import type { Store } from '../store/index.ts';
import type { Bounds, Deleted } from '../store/retention.ts';
import type { AttachFailure } from '../store/writer-messages.ts';
import { Bucket } from './bucket.ts';
import { writeChange } from './change.ts';
import { Changer } from './changer.ts';
import { Follower } from './follower.ts';
import type { Link } from './link.ts';
import { writeMessage } from './message.ts';
import { Objects } from './objects.ts';
import { type ClusterStatus, Progress } from './progress.ts';
import { Publisher } from './publisher.ts';
import { Sweeper } from './sweeper.ts';

/** The stream of a server and its copy; one per server with `--store jetstream`. */
export class Cluster {
  private readonly link: Link;
  private readonly store: Store;
  private readonly progress: Progress;
  private readonly publisher: Publisher;
  private readonly follower: Follower;
  private readonly changer: Changer;
  private readonly objects: Objects;
  private readonly sweeper: Sweeper;

  /** Creates the parts for a store that is a copy of the stream. `flags` are the bounds of retention of the flags. */
  constructor(link: Link, store: Store, buffers: Buffers, flags: Bounds, log: Log) {
    this.link = link;
    this.progress = new Progress(store.place?.sequence ?? 0, log);
    this.publisher = new Publisher(link, store, this.progress, log);
    const bucket = new Bucket(link);
    this.objects = new Objects(bucket, store.attachmentFiles, log);
    this.sweeper = new Sweeper(bucket, store, this.progress, log);
    this.store = store;
    this.follower = new Follower(link, store, this.progress, buffers, this.objects, this.sweeper, log);
    this.changer = new Changer(store, this.progress, flags);
  }

  /** The name of the stream. */
  get stream(): string {
    return this.link.source.name;
  }

  /** Whether NATS is connected. */
  get isConnected(): boolean {
    return this.link.isConnected;
  }

  /** The current state of the copy. */
  get status(): ClusterStatus {
    return this.progress.status;
  }

  /** Why the copy does not follow the stream; `undefined` while it does. */
  get failure(): string | undefined {
    return this.progress.failure;
  }

  /** Waits a bounded time until the copy has a sequence; returns whether it does (rule CLU-09). */
  reaches(sequence: number): Promise<boolean> {
    const deadline = AbortSignal.timeout(LIMITS.cluster_behind_ms);
    return this.progress.reached(sequence, deadline).then(
      () => true,
      () => false,
    );
  }

  /**
   * Returns whether the stream ended before a sequence when `reaches` began to wait for it. Only the leader knows: this
   * server may follow a server of NATS that is cut off from the others. A leader that is cut off itself does not know its
   * successor, so a majority must have answered it since (rule CLU-09).
   */
  async endsBefore(sequence: number): Promise<boolean> {
    const last = await this.link.lastSequence(LIMITS.cluster_behind_ms);
    return last !== undefined && last < sequence;
  }

  /**
   * Publishes the valid events of a request; settles when the copy of this server has them. Consecutive calls are
   * published in their order. The table is read before the call returns.
   */
  submit(table: EventTable, source: EventSource): ReturnType<Publisher['publish']> {
    const messages = Array.from({ length: table.count }, (_, row) => writeMessage(table, row));
    return this.publisher.publish(messages, source);
  }

  /**
   * Deletes events, or a session with its events, on all copies; settles when this one has done so. `undefined` when no
   * session has this id, or nothing matches (rule CLU-11).
   */
  delete(scope: Scope): Promise<Deleted | undefined> {
    return this.changer.delete(scope, (change) => this.change(change));
  }

  /** Sets the bounds of retention of all servers; settles when this one has them (rule CLU-12). */
  async retain({ days, bytes }: Bounds): Promise<void> {
    await this.change({ kind: 'retain', days, bytes });
  }

  /**
   * Adds an attachment to an event on all copies; settles when this one has it. `file` holds its bytes. The bucket has them
   * before the stream has the message (rules CLU-14 and CLU-15). Throws a `Failure`.
   */
  async attach(attachment: Attachment, file: TemporaryFile): Promise<Attached | AttachFailure> {
    // The copy decides what it knows already.
    const known = await this.store.attach(attachment);
    if (known !== 'unshared') return known;
    const { event, name, mediaType: media_type, sha256, size } = attachment;
    const forget = await this.objects.put(event, sha256, size, file);
    try {
      const members = { event, name, sha256: digestHex(sha256), size, media_type };
      const sequence = await this.change({ kind: 'attach', ...members });
      return this.progress.attached(sequence) ?? 'repeated';
    } finally {
      forget();
    }
  }

  /** Follows until the end. */
  async run(): Promise<void> {
    const changes = this.changer.run((change) => this.change(change));
    await Promise.all([this.follower.run(), changes, this.sweeper.run()]);
  }

  /** Ends the following and the connection. */
  async close(): Promise<void> {
    this.follower.close();
    this.changer.close();
    this.sweeper.close();
    await this.link.close();
  }

  /** Publishes a change; returns its sequence when the copy of this server has it. Throws a `Failure`. */
  private async change(change: ClusterChange): Promise<number> {
    const published = await this.publisher.publish([writeChange(change)], undefined);
    if ('code' in published) throw new Failure(published.code);
    return published.ids[0]!;
  }
}
