/**
 * Runs reads on a pool of connections (rule GET-10).
 *
 * Lives in the main thread; the other half is `reader-thread`. It passes a read to a free thread, starts a thread
 * when all are busy, and queues reads above their number. Invariants: unbounded reads leave one thread to the bounded
 * ones, and searches one more to the unbounded ones. A waiting read ends in bounded time, and does not run once its
 * client has disconnected (rule GET-10). A search that runs ends then too, and after a time (rule GET-13).
 *
 * Over 250 lines because it has a method for each kind of read.
 */
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../contract.ts';
import type { NextStep } from './cluster-change.ts';
import { type Cost, costOf } from './cost.ts';
import type { Scope } from './deletions.ts';
import type { StoreCode } from './failure.ts';
import type { ForwardBatch } from './forwarding.ts';
import type { EventFilter } from './query.ts';
import type {
  DueRead,
  ExportPage,
  ExportRead,
  Frames,
  HealthFigures,
  JsonRead,
  Read,
  ReaderData,
  ReadResult,
  Snapshot,
  SnapshotRead,
} from './read.ts';
import type { dueBound } from './retention.ts';
import type { DayCost, Signal } from './signals.ts';

/** The client of a read, such as a response of Node. */
export interface Asker {
  /** Whether the client has disconnected. */
  readonly destroyed: boolean;
  once?(event: 'close', ended: () => void): unknown;
  off?(event: 'close', ended: () => void): unknown;
}

/** A read without an answer. */
export class ReadFailed extends Error {
  readonly code: StoreCode;
  /** Whether the read did not run, because it waited too long or its client disconnected. */
  readonly isDropped: boolean;
  constructor(code: StoreCode, reason: string, isDropped = false) {
    super(reason);
    this.name = 'ReadFailed';
    this.code = code;
    this.isDropped = isDropped;
  }
}

interface Waiting {
  readonly read: Read;
  readonly cost: Cost;
  readonly asker: Asker | undefined;
  readonly resolve: (result: ReadResult) => void;
  readonly drop: (reason: string) => void;
  timer?: NodeJS.Timeout;
  /** Stops what may end the search while it runs. */
  unwatch?: () => void;
}

interface Thread {
  readonly worker: Worker;
  /** Ends the search that runs, by 1 at its first place. */
  readonly ended: Int32Array;
  current: Waiting | undefined;
  hasAnswered: boolean;
}

export class Readers {
  private readonly entry: URL;
  private readonly data: ReaderData;
  private readonly most: number;
  private readonly threads: Thread[] = [];
  /** Threads that are ending: closing the file waits for their connections too. */
  private readonly ending = new Set<Promise<void>>();
  /** Waiting reads in order of arrival. */
  private readonly waiting = new Set<Waiting>();

  constructor(entry: URL, data: ReaderData, most: number) {
    this.entry = entry;
    this.data = data;
    this.most = most;
  }

  async json(read: JsonRead, asker?: Asker): Promise<Uint8Array | undefined> {
    const result = await this.read(read, asker);
    if (result.kind !== 'json') throw new Error(`a ${read.kind} answered ${result.kind}`);
    return result.bytes;
  }

  async snapshot(read: SnapshotRead, asker?: Asker): Promise<Snapshot<Uint8Array>> {
    const result = await this.read(read, asker);
    if (result.kind !== 'snapshot') throw new Error(`a snapshot answered ${result.kind}`);
    return result.snapshot;
  }

  /** Reads a page of an export. */
  async exportPage(read: ExportRead, asker?: Asker): Promise<ExportPage> {
    const result = await this.read(read, asker);
    if (result.kind !== 'export') throw new Error(`an export answered ${result.kind}`);
    return result;
  }

  /** Reads the next events for a receiver. */
  async forwardBatch(above: number, most: number): Promise<ForwardBatch> {
    const result = await this.read({ kind: 'forward', format: 'msgpack', above, most });
    if (result.kind !== 'forward') throw new Error(`a batch answered ${result.kind}`);
    return result;
  }

  async sessionRevisions(ids: readonly string[]): Promise<Float64Array> {
    const result = await this.read({ kind: 'session_revisions', ids });
    if (result.kind !== 'revisions') throw new Error(`revisions answered ${result.kind}`);
    return result.revisions;
  }

  async frames(filter: EventFilter): Promise<Frames> {
    const result = await this.read({ kind: 'events_after', filter });
    if (result.kind !== 'frames') throw new Error(`a page of frames answered ${result.kind}`);
    return result;
  }

  async signals(after: number, newest: number): Promise<readonly Signal[]> {
    const result = await this.read({ kind: 'signals', after, newest });
    if (result.kind !== 'signals') throw new Error(`signals answered ${result.kind}`);
    return result.signals;
  }

  async nextStep(scope: Scope, block: number): Promise<NextStep | undefined> {
    const result = await this.read({ kind: 'next_step', scope, block });
    if (result.kind !== 'step') throw new Error(`a next step answered ${result.kind}`);
    return result.step;
  }

  async due(bounds: DueRead['bounds']): Promise<ReturnType<typeof dueBound>> {
    const result = await this.read({ kind: 'due', bounds });
    if (result.kind !== 'due') throw new Error(`due events answered ${result.kind}`);
    return result.due;
  }

  async dayCost(startS: number, endS: number, asker?: Asker): Promise<DayCost> {
    const result = await this.read({ kind: 'day_cost', startS, endS }, asker);
    if (result.kind !== 'day_cost') throw new Error(`a day's cost answered ${result.kind}`);
    return result;
  }

  async health(asker?: Asker): Promise<HealthFigures> {
    const result = await this.read({ kind: 'health' }, asker);
    if (result.kind !== 'health') throw new Error(`health answered ${result.kind}`);
    return result;
  }

  /** Returns the result of a step of the full check (rule STO-06); undefined after the last table. */
  async checkTable(place: number): Promise<string | undefined> {
    const result = await this.read({ kind: 'check_table', place });
    if (result.kind !== 'checked') throw new Error(`a check answered ${result.kind}`);
    // An idle server needs no reader.
    if (result.found === undefined) this.endIdle();
    return result.found;
  }

  /** Ends the threads; waiting reads fail as `internal`. */
  async close(): Promise<void> {
    const threads = this.threads.splice(0);
    const left = [...this.waiting, ...threads.flatMap(({ current }) => current ?? [])];
    this.waiting.clear();
    for (const { timer } of left) clearTimeout(timer);
    for (const { resolve } of left) resolve({ kind: 'failed', code: 'internal', reason: 'closing' });
    for (const thread of threads) this.end(thread);
    await Promise.all(this.ending);
  }

  private endIdle(): void {
    for (const thread of this.threads.filter(({ current }) => current === undefined)) {
      this.threads.splice(this.threads.indexOf(thread), 1);
      this.end(thread);
    }
  }

  private end({ worker }: Thread): void {
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.ending.add(ended);
    void ended.then(() => this.ending.delete(ended));
    worker.postMessage('close');
  }

  private async read(read: Read, asker?: Asker): Promise<Exclude<ReadResult, { kind: 'failed' }>> {
    const result = await new Promise<ReadResult>((resolve, reject) => {
      const drop = (reason: string): void => reject(new ReadFailed('storage_busy', reason, true));
      const waiting: Waiting = { read, cost: costOf(read), asker, resolve, drop };
      if (!this.give(waiting)) this.queue(waiting);
    });
    if (result.kind === 'failed') throw new ReadFailed(result.code, result.reason);
    return result;
  }

  /** Passes a read to a thread; returns whether a thread takes it. */
  private give(waiting: Waiting): boolean {
    if (waiting.cost !== 'bounded' && this.running('unbounded', 'search') >= this.most - 1) return false;
    if (waiting.cost === 'search' && this.running('search') >= Math.max(this.most - 2, 1)) return false;
    const free = this.threads.find(({ current }) => current === undefined);
    const thread = free ?? (this.threads.length < this.most ? this.start() : undefined);
    if (thread === undefined) return false;
    thread.current = waiting;
    Atomics.store(thread.ended, 0, 0);
    if (waiting.cost === 'search') this.watch(thread, waiting);
    thread.worker.postMessage(waiting.read);
    return true;
  }

  /** Ends a search when its client disconnects, or when its time is over (rule GET-13). */
  private watch({ ended }: Thread, waiting: Waiting): void {
    const end = (): void => {
      Atomics.store(ended, 0, 1);
      waiting.drop('the search was ended');
    };
    const timer = setTimeout(end, LIMITS.search_run_ms);
    waiting.asker?.once?.('close', end);
    waiting.unwatch = () => {
      clearTimeout(timer);
      waiting.asker?.off?.('close', end);
    };
  }

  private running(...costs: readonly Cost[]): number {
    return this.threads.filter(({ current }) => current !== undefined && costs.includes(current.cost)).length;
  }

  private queue(waiting: Waiting): void {
    this.waiting.add(waiting);
    waiting.timer = setTimeout(() => {
      this.waiting.delete(waiting);
      waiting.drop('no reader was free');
    }, LIMITS.reader_wait_ms);
  }

  /** Passes the first read that a free thread may take and whose client is connected. */
  private giveNext(): void {
    for (const waiting of this.waiting) {
      const isGone = waiting.asker?.destroyed === true;
      if (!isGone && !this.give(waiting)) continue;
      this.waiting.delete(waiting);
      clearTimeout(waiting.timer);
      if (!isGone) return;
      waiting.drop('the client is gone');
    }
  }

  /**
   * Starts a thread; returns `undefined` when the system has none to give, in which case other threads take the read.
   */
  private start(): Thread | undefined {
    let worker: Worker;
    const ended = new Int32Array(new SharedArrayBuffer(4));
    try {
      worker = new Worker(this.entry, {
        workerData: { ...this.data, ended } satisfies ReaderData,
        resourceLimits: { maxYoungGenerationSizeMb: 4 },
      });
    } catch {
      return undefined;
    }
    const thread: Thread = { worker, ended, current: undefined, hasAnswered: false };
    const settle = (result: ReadResult): void => {
      const { current } = thread;
      current?.unwatch?.();
      thread.current = undefined;
      this.giveNext();
      current?.resolve(result);
    };
    worker.on('message', (result: ReadResult) => {
      thread.hasAnswered = true;
      settle(result);
    });
    worker.on('error', (error) => {
      const at = this.threads.indexOf(thread);
      if (at >= 0) this.threads.splice(at, 1);
      // A thread that could not start lacked descriptors or memory, which may become available again.
      const code = thread.hasAnswered ? 'internal' : 'storage_busy';
      settle({ kind: 'failed', code, reason: error.message });
    });
    this.threads.push(thread);
    return thread;
  }
}
