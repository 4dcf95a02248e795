/** Connects to NATS, and finds or creates the stream (rules CLU-01 and CLU-02). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { StreamSource } from '../config/index.ts';
import { LIMITS, TUNING } from '../contract.ts';
import type { ClusterStream } from '../store/cluster.ts';
import { parseTimestamp } from '../timestamp.ts';

/** The reason of a stream that does not answer. */
export const UNREACHABLE = 'unreachable';

/** Number of requests for one answer. */
const REQUESTS = LIMITS.cluster_answer_ms / TUNING.cluster_retry_ms;
const NANOS = 1_000_000_000;
const NANOS_PER_MS = 1_000_000;

/** The library, which few servers load. */
type Library = typeof import('@nats-io/jetstream') &
  typeof import('@nats-io/transport-node') &
  Pick<typeof import('@nats-io/obj'), 'Objm'>;

/** The connection while it exists, and its interfaces to streams. */
interface Connected {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** The connection to NATS. It connects again by itself. */
export class Link {
  /** The stream. */
  readonly source: StreamSource;
  readonly library: Library;
  private connected: Connected | undefined;
  private isUp = false;
  private isClosed = false;
  /** Called after the connection was lost, and after it was found. */
  onChanged: () => void = () => {};

  private constructor(source: StreamSource, library: Library) {
    this.source = source;
    this.library = library;
  }

  /** Starts to connect. Returns the connection, and what it finds of the stream in a bounded time. */
  static async open(source: StreamSource): Promise<readonly [Link, ClusterStream]> {
    const [transport, jetstream, { Objm, setSha256Backend }] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
      import('@nats-io/obj'),
    ]);
    // The default hashes in JavaScript, which delays other requests.
    setSha256Backend('native');
    const link = new Link(source, { ...transport, ...jetstream, Objm });
    void link.connect();
    const { name, host } = source;
    const found = link.findOrCreate().catch(reasonOf);
    const info = await Promise.race([found, sleep(LIMITS.cluster_connect_ms, UNREACHABLE)]);
    if (typeof info === 'string') return [link, { name, host, created: info, firstSequence: 0 }];
    return [link, { name, host, created: createdMs(info), firstSequence: info.state.first_seq }];
  }

  /** Whether NATS is connected. */
  get isConnected(): boolean {
    return this.isUp;
  }

  /** The connection; `undefined` while there is none. */
  get current(): Connected | undefined {
    return this.isUp ? this.connected : undefined;
  }

  /** The subject of the events. */
  get subject(): string {
    return `${this.source.name}.events`;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.isUp = false;
    await this.connected?.connection.close().catch(() => {});
  }

  /**
   * Returns the answer to a request that NATS may take twice; `undefined` when none is in time. While a stream has no
   * leader, NATS drops its requests, so others follow before the first is overdue.
   */
  async answer<T>(request: () => Promise<T>): Promise<T | undefined> {
    const ended = new AbortController();
    const after = (delayMs: number): Promise<undefined> =>
      sleep(delayMs, undefined, { signal: ended.signal, ref: false });
    const answers = Array.from({ length: REQUESTS }, async (_, index) => {
      await after(index * TUNING.cluster_retry_ms);
      return request();
    });
    try {
      return await Promise.any([...answers, after(LIMITS.cluster_answer_ms)]);
    } catch {
      return undefined;
    } finally {
      ended.abort();
    }
  }

  /**
   * Asks the leader of the stream for the sequence of its last message. `undefined` when none answers in time, or when no
   * majority of the replicas answered the leader in the last `silentMs`. Others may have another leader then.
   */
  async lastSequence(silentMs: number): Promise<number | undefined> {
    const info = await this.current?.manager.streams.info(this.source.name).catch(() => undefined);
    if (info === undefined) return undefined;
    const others = info.cluster?.replicas ?? [];
    const heard = others.filter(({ active }) => active < silentMs * NANOS_PER_MS);
    return 1 + heard.length > others.length - heard.length ? info.state.last_seq : undefined;
  }

  private async connect(): Promise<void> {
    const { connect, jetstream, jetstreamManager } = this.library;
    const { token } = this.source;
    while (this.connected === undefined && !this.isClosed) {
      try {
        const connection = await connect({
          servers: this.source.host,
          name: 'twin-ingest',
          ...(token === undefined ? {} : { token }),
          // A token that NATS refuses now may be accepted later.
          ignoreAuthErrorAbort: true,
          timeout: LIMITS.cluster_connect_ms,
          maxReconnectAttempts: -1,
          reconnectTimeWait: TUNING.cluster_retry_ms,
          reconnectJitter: 0,
        });
        const options = { timeout: LIMITS.cluster_answer_ms };
        const manager = await jetstreamManager(connection, { ...options, checkAPI: false });
        this.connected = { connection, manager, client: jetstream(connection, options) };
        this.isUp = true;
        void this.watch(connection);
      } catch {
        await sleep(TUNING.cluster_retry_ms, undefined, { ref: false });
      }
    }
    if (this.isClosed) await this.close();
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'close') this.isUp = false;
      else if (type === 'reconnect') this.isUp = true;
      else continue;
      this.onChanged();
    }
  }

  /** Returns the state of the stream; creates it if there is none. */
  private async findOrCreate(): Promise<StreamInfo> {
    while (!this.isUp) await sleep(10, undefined, { ref: false });
    const { manager } = this.connected!;
    const { DiscardPolicy, JetStreamApiCodes, JetStreamApiError, StorageType } = this.library;
    try {
      return await manager.streams.info(this.source.name);
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound)
        throw error;
    }
    return manager.streams.add({
      name: this.source.name,
      subjects: [this.subject],
      storage: StorageType.File,
      num_replicas: this.source.replicas,
      duplicate_window: LIMITS.cluster_window_s * NANOS,
      // A full stream must refuse an event, and never drop an acknowledged one.
      discard: DiscardPolicy.New,
      max_bytes: -1,
      max_msgs: -1,
      max_msgs_per_subject: -1,
    });
  }
}

/** Returns when a stream was created, in Unix milliseconds. */
export function createdMs({ created }: Pick<StreamInfo, 'created'>): number {
  return parseTimestamp(created) ?? 0;
}

/** Returns the text of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
