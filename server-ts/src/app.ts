/**
 * Builds the server's parts and connects them. The app holds all state, so two apps can run in one process.
 *
 * Starts the background tasks: statistics for the stream, and the full database check after the start. Over 250 lines
 * because every part is connected here.
 */
import type { Worker } from 'node:worker_threads';
import { Activity } from './activity.ts';
import { Admission } from './admission.ts';
import { Attachments } from './attachments.ts';
import { Buffers } from './buffers.ts';
import { nowMs } from './clock.ts';
import type { Cluster } from './cluster/index.ts';
import type { Link } from './cluster/link.ts';
import type { Config } from './config/index.ts';
import { LIMITS } from './contract.ts';
import { Failure } from './error.ts';
import type { Forwarder } from './forward/index.ts';
import { AnswerRoom } from './http/answer-room.ts';
import type { Connections } from './http/connection.ts';
import { Guard } from './http/guard.ts';
import type { buildRoutes } from './http/index.ts';
import { SharedFrames } from './http/invalidations.ts';
import { Refusals } from './http/refusals.ts';
import { SendQueues } from './http/send-queues.ts';
import { publishStats } from './http/stream.ts';
import { Hub, Places } from './hub.ts';
import { Ingest } from './ingest.ts';
import { Invalidations } from './invalidations.ts';
import type { Log } from './log.ts';
import type { Notifier } from './notifier.ts';
import { CallReader } from './rpc/worker.ts';
import type { ClusterStream } from './store/cluster.ts';
import type { Scope } from './store/deletions.ts';
import type { StoreCode } from './store/failure.ts';
import { ForwardCursor } from './store/forwarding.ts';
import { Store } from './store/index.ts';
import type { Bounds, DeletionResult } from './store/retention.ts';
import { Counters } from './telemetry/counters.ts';

/** Advice for users of an agent that speaks gRPC. */
const GRPC_CLOSED =
  'a gRPC connection was closed; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf at the agent';

/** Dependencies of an app. */
interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  /** Connections that already listen, so that the server finds a taken port before it touches the database. */
  readonly connections: Connections;
  /** Entry module of the store's threads. */
  readonly entry: URL;
  readonly writerThread: Worker;
  readonly nativeBinding: string | undefined;
  /** Called when the storage is lost. All waiting requests are answered by then, and the process must end. */
  onFatal(code: StoreCode): void;
  /** Called when a program has asked the server of this database to end (rule STO-13). */
  onStopAsked(): void;
}

export class App {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly places: Places;
  readonly hub: Hub;
  readonly invalidations: Invalidations;
  readonly sharedFrames: SharedFrames;
  readonly sendQueues = new SendQueues();
  readonly answers = new AnswerRoom(LIMITS.answer_room_bytes);
  readonly ingest: Ingest;
  readonly attachments: Attachments;
  readonly admission: Admission;
  readonly activity: Activity;
  /** Absent without `--store jetstream`. */
  readonly cluster: Cluster | undefined;
  /** Absent without `--forward`. */
  readonly forwarder: Forwarder | undefined;
  readonly telemetry = new Counters();
  readonly buffers: Buffers;
  readonly callReader: CallReader;
  readonly guard: Guard;
  readonly refusals: Refusals;
  readonly connections: Connections;
  isDraining = false;
  readonly startTimeMs = nowMs();
  /** The bytes of rule RET-02, as the last scrape read them. */
  retainedBytes = 0;
  private notifier: Notifier | undefined;
  private readonly startedMs = performance.now();
  private readonly buildRoutes: typeof buildRoutes;
  private readonly statsTimer: NodeJS.Timeout;

  private constructor(
    options: AppOptions,
    store: Store,
    buffers: Buffers,
    routes: typeof buildRoutes,
    forwarder: Forwarder | undefined,
    cluster: Cluster | undefined,
  ) {
    const { config, log } = options;
    this.config = config;
    this.log = log;
    this.store = store;
    this.places = new Places(config.maxStreamClients);
    this.hub = new Hub(store, this.places, (error) => this.logFailure(error, 'tail failed'));
    this.invalidations = new Invalidations(store, this.places, (error) => {
      this.logFailure(error, 'revisions failed');
    });
    this.sharedFrames = new SharedFrames(store.epoch);
    this.buffers = buffers;
    this.callReader = new CallReader(options.entry);
    this.cluster = cluster;
    this.ingest = new Ingest(store, cluster, config, buffers);
    this.attachments = new Attachments(store, cluster, config, log);
    this.admission = new Admission(config.queueEvents, config.queueBytes, config.maxBodyBytes);
    this.connections = options.connections;
    this.activity = new Activity(config.idleExitS);
    this.forwarder = forwarder;
    this.buildRoutes = routes;
    this.guard = new Guard(config, this.connections.portNumber);
    this.refusals = new Refusals(log);
    this.statsTimer = setInterval(() => void publishStats(this), config.statsIntervalMs);
  }

  /** Opens the database and wires the parts. */
  static async build(options: AppOptions): Promise<App> {
    const { config, log, entry, nativeBinding, writerThread } = options;
    const { db, durability, prices, sessionTimeoutMinutes, waitingStaleHours, maxMetadataBytes } = config;
    const buffers = new Buffers();
    const held: { app?: App } = {};
    const { forward: receiver, forwardToken } = config;
    const cursor = receiver && new ForwardCursor(receiver.url);
    const [link, stream] = (await openLink(config)) ?? [];
    const opening = Store.open(
      {
        db,
        durability,
        prices,
        bounds: { days: config.retainDays, bytes: config.retainBytes },
        sessionTimeoutMinutes,
        waitingStaleHours,
        maxMetadataBytes,
        entry,
        nativeBinding,
        writerThread,
        buffers,
        cursor,
        cluster: stream,
      },
      {
        onStored: () => held.app?.published(),
        onForgotten: () => held.app?.hub.forget(),
        onFailure: (code, reason) => log.error({ code, reason }, 'storage failed'),
        onRecovered: () => log.info('storage recovered'),
        onLostFrames: (frames) =>
          log.warn({ frames }, 'the write-ahead log ends with an incomplete transaction'),
        onMovedAside: (moved) =>
          log.warn(moved, 'attachments that may belong to another database were moved aside'),
        onWarning: ({ facts, text }) => log.warn(facts, text),
        onCheckpoint: (checkpoint) => log.debug(checkpoint, 'checkpoint'),
        onChecked: (tables, ms) => log.info({ tables, ms }, 'the full check found no problem'),
        onFatal: (code) => options.onFatal(code),
        onStopAsked: () => options.onStopAsked(),
      },
    );
    // Express loads while the writer's thread starts; both take about as long.
    const [store, { buildRoutes }] = await Promise.all([opening, import('./http/index.ts')]);
    let forwarder: Forwarder | undefined;
    if (receiver !== undefined && cursor !== undefined) {
      // Loaded here, since most servers forward nothing.
      const forward = await import('./forward/index.ts');
      forwarder = new forward.Forwarder(receiver, forwardToken, store, cursor, log);
    }
    let cluster: Cluster | undefined;
    if (link !== undefined) {
      const { Cluster } = await import('./cluster/index.ts');
      const flags = { days: config.retainDays, bytes: config.retainBytes };
      cluster = new Cluster(link, store, buffers, flags, log);
    }
    held.app = new App(options, store, buffers, buildRoutes, forwarder, cluster);
    return held.app;
  }

  /** Starts the notifications to `--webhook`, if it is given (rule NOT-01). `url` is the server's. */
  async notify(url: string): Promise<void> {
    const { webhook, webhookFinishMinutes: finishMinutes, budgetCents, timeZone: zone } = this.config;
    if (webhook === undefined) return;
    const { Notifier } = await import('./notifier.ts');
    const rules = { origin: url, epoch: this.store.epoch, finishMinutes, budgetCents, zone };
    this.notifier = await Notifier.start(this.store, webhook, rules, this.log);
  }

  /** Whether the end has cut an attempt of a notification; a part of it may still run in a thread of Node. */
  get hasCutNotice(): boolean {
    return this.notifier?.wasSending === true;
  }

  /** Starts to answer requests. */
  serve(): void {
    this.connections.serve(this.buildRoutes(this), () => {
      if (this.telemetry.countGrpc()) this.log.warn(GRPC_CLOSED);
    });
  }

  get uptimeSeconds(): number {
    return Math.floor((performance.now() - this.startedMs) / 1000);
  }

  /** Why `/readyz` is not 200; `undefined` when it is. */
  get fault(): 'draining' | StoreCode | undefined {
    return this.isDraining ? 'draining' : this.store.fault;
  }

  /** Checks the whole file; a finding stops the writes (rule STO-06). */
  async checkStorage(): Promise<void> {
    try {
      await this.store.checkAll();
    } catch (error) {
      this.logFailure(error, 'check failed');
    }
  }

  /** Forwards events until draining starts; returns at once without `--forward`. */
  async forward(): Promise<void> {
    try {
      await this.forwarder?.run();
    } catch (error) {
      this.logFailure(error, 'forwarding failed');
    }
  }

  /** Follows the stream of a cluster until the end; returns at once without `--store jetstream`. */
  async follow(): Promise<void> {
    try {
      await this.cluster?.run();
    } catch (error) {
      this.logFailure(error, 'following failed');
    }
  }

  /** Waits until this server has a sequence, if one is given (rule CLU-09). */
  async awaitSequence(sequence: number | undefined): Promise<void> {
    if (sequence === undefined) return;
    const isReached = this.cluster ? await this.cluster.reaches(sequence) : sequence <= this.store.newest;
    if (!isReached) throw new Failure('cluster_behind');
  }

  /** Returns whether a cursor of the stream is above every event that this server knows of (rules STR-04, CLU-09). */
  async isBeyond(cursor: number): Promise<boolean> {
    if (this.cluster === undefined) return cursor > this.store.newest;
    if (await this.cluster.reaches(cursor)) return false;
    return this.cluster.failure === undefined && (await this.cluster.endsBefore(cursor));
  }

  /** Why newer events may exist elsewhere; `undefined` when this server shows all it can know (rule CLU-10). */
  get staleness(): string | undefined {
    return this.cluster?.failure;
  }

  /**
   * Deletes events, or a session with its events, on all copies of a stream; `undefined` when nothing matches (rules
   * RET-04 and CLU-11).
   */
  delete(scope: Scope): Promise<DeletionResult> {
    return this.cluster ? this.cluster.delete(scope) : this.store.delete(scope);
  }

  /** Sets the bounds of retention of all servers of a stream (rules RET-03 and CLU-12). */
  async setBounds(bounds: Bounds): Promise<void> {
    if (this.cluster !== undefined) await this.cluster.retain(bounds);
    else this.store.setBounds(bounds);
  }

  /** Waits until the copy of this server can know an event, or no server does (rule CLU-15). */
  async awaitEvent(event: number): Promise<void> {
    const { cluster } = this;
    if (cluster === undefined || (await cluster.reaches(event)) || (await cluster.endsBefore(event))) return;
    throw new Failure('cluster_behind');
  }

  /** Notifies all clients of the stream that the newest id has risen. */
  private published(): void {
    this.hub.published();
    this.invalidations.published();
    this.notifier?.published();
    this.forwarder?.published();
  }

  /** Starts draining: no more requests, no more stream (rule PRO-07). Resolves when all connections are closed. */
  drain(): Promise<void> {
    this.isDraining = true;
    clearInterval(this.statsTimer);
    this.forwarder?.close();
    this.hub.close();
    this.invalidations.close();
    this.notifier?.close();
    return this.connections.drain().finally(() => this.callReader.close());
  }

  /** Logs a failure of a background task, unless the server drains. */
  logFailure(error: unknown, message: string): void {
    // Closing the store cancels waiting reads.
    if (this.isDraining) return;
    this.log.error({ reason: error instanceof Error ? error.message : String(error) }, message);
  }
}

/** Connects to the stream of a cluster; `undefined` without `--store jetstream`, whose library few servers load. */
async function openLink({ cluster }: Config): Promise<readonly [Link, ClusterStream] | undefined> {
  if (cluster === undefined) return undefined;
  const { Link } = await import('./cluster/link.ts');
  return Link.open(cluster);
}
