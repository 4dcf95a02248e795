/**
 * Stores events in a stream of NATS JetStream that several servers share (rules CLU-01 to CLU-08).
 *
 * A publisher sends the events of requests to the stream. A follower stores every message of the stream in the copy of
 * this server, from which all reads come. Invariant: no event reaches the copy except through the stream.
 */
import type { Buffers } from '../buffers.ts';
import { LIMITS } from '../contract.ts';
import type { EventTable } from '../event.ts';
import type { Log } from '../log.ts';
import type { EventSource } from '../meters.ts';
import type { Store } from '../store/index.ts';
import { Follower } from './follower.ts';
import type { Link } from './link.ts';
import { writeMessage } from './message.ts';
import { type ClusterStatus, Progress } from './progress.ts';
import { Publisher } from './publisher.ts';

/** The stream of a server and its copy; one per server with `--store jetstream`. */
export class Cluster {
  private readonly link: Link;
  private readonly progress: Progress;
  private readonly publisher: Publisher;
  private readonly follower: Follower;

  /** Creates the two parts for a store that is a copy of the stream. */
  constructor(link: Link, store: Store, buffers: Buffers, log: Log) {
    this.link = link;
    this.progress = new Progress(store.place?.sequence ?? 0, log);
    this.publisher = new Publisher(link, store, this.progress, log);
    this.follower = new Follower(link, store, this.progress, buffers, log);
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
   * Publishes the valid events of a request; settles when the copy of this server has them. Consecutive calls are
   * published in their order. The table is read before the call returns.
   */
  submit(table: EventTable, source: EventSource): ReturnType<Publisher['publish']> {
    const messages = Array.from({ length: table.count }, (_, row) => writeMessage(table, row));
    return this.publisher.publish(messages, source);
  }

  /** Follows until the end. */
  run(): Promise<void> {
    return this.follower.run();
  }

  /** Ends the following and the connection. */
  async close(): Promise<void> {
    this.follower.close();
    await this.link.close();
  }
}
