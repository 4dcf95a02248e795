/**
 * The reading threads: a small pool, each with one connection.
 *
 * Lives in the main thread; the other half is `reader-thread`. It gives a read to a free thread, starts one where
 * all are busy, and queues beyond two.
 */
import { Worker } from 'node:worker_threads';
import type { Topic } from '../topics.ts';
import type { ConnectionOptions } from './connection.ts';
import type { StoreCode } from './failure.ts';
import type { EventFilter, SessionFilter } from './query.ts';
import type { StatsFilter } from './totals.ts';

export interface ReaderData extends ConnectionOptions {
  readonly role: 'reader';
  readonly sessionTimeoutMinutes: number;
}

/** A read whose answer is JSON text; nothing where there is no such row. */
export type JsonRead =
  | { readonly kind: 'list_events'; readonly filter: EventFilter }
  | { readonly kind: 'get_event'; readonly id: number }
  | { readonly kind: 'list_sessions'; readonly filter: SessionFilter }
  | { readonly kind: 'get_session'; readonly id: string; readonly limit: number }
  | { readonly kind: 'stats'; readonly filter: StatsFilter }
  | { readonly kind: 'tools'; readonly filter: StatsFilter }
  | { readonly kind: 'costs'; readonly filter: StatsFilter; readonly limit: number }
  | { readonly kind: 'filter_options' };

/** A topic's state, with its revision, of one moment (rules SYN-05 to SYN-07). */
export interface SnapshotRead {
  readonly kind: 'snapshot';
  readonly topic: Topic;
  readonly epoch: string;
  readonly limit: number;
  /** Of events: only those above this revision, where they are no more than the limit. */
  readonly since: number | undefined;
  /** Whether `since` is of another epoch. */
  readonly isReset: boolean;
  /** Revisions that need no answer, since the asker has them. */
  readonly known: KnownRevisions;
}

/** Revisions as text; `any` is all that there are. */
export type KnownRevisions = 'any' | readonly string[];

/** A revision, and the state as JSON text unless it was known; nothing where there is no such session. */
export type Snapshot<Text = string | Uint8Array> =
  | { readonly revision: number; readonly json: Text | undefined }
  | undefined;

export type Read =
  | JsonRead
  | SnapshotRead
  /** The revisions of sessions, in their order. */
  | { readonly kind: 'session_revisions'; readonly ids: readonly string[] }
  /** Frames of the stream, oldest first, as far as a page goes. */
  | { readonly kind: 'events_after'; readonly filter: EventFilter }
  | { readonly kind: 'health' }
  | { readonly kind: 'quick_check' };

/** Rows as frames of the stream, end to end; `ends[i]` is where frame `i` ends. */
export interface Frames {
  readonly bytes: Uint8Array;
  readonly ids: Float64Array;
  readonly ends: Uint32Array;
  /** For the filters of those who share the frames. */
  readonly names: readonly (readonly [sessionId: string, agentType: string, eventType: string])[];
  /** Whether the page stopped before the rows did. */
  readonly more: boolean;
}

export interface HealthFigures {
  readonly epoch: string;
  readonly sqliteVersion: string;
  readonly journalMode: string;
  readonly synchronous: string;
}

/** What the thread answers. */
export type ReadResult =
  | { readonly kind: 'json'; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot<Uint8Array> }
  | { readonly kind: 'revisions'; readonly revisions: Float64Array }
  | ({ readonly kind: 'frames' } & Frames)
  | ({ readonly kind: 'health' } & HealthFigures)
  | { readonly kind: 'checked'; readonly found: string }
  | { readonly kind: 'failed'; readonly code: StoreCode; readonly reason: string };

/** A read that SQLite did not answer. */
export class ReadFailed extends Error {
  readonly code: StoreCode;
  constructor(code: StoreCode, reason: string) {
    super(reason);
    this.name = 'ReadFailed';
    this.code = code;
  }
}

interface Waiting {
  readonly read: Read;
  readonly resolve: (result: ReadResult) => void;
}

interface Thread {
  readonly worker: Worker;
  current: Waiting | undefined;
}

const THREADS = 2;

export class Readers {
  private readonly entry: URL;
  private readonly data: ReaderData;
  private readonly threads: Thread[] = [];
  /** Threads that were told to end: whoever closes the file waits for their connections too. */
  private readonly ending = new Set<Promise<void>>();
  private readonly waiting: Waiting[] = [];

  constructor(entry: URL, data: ReaderData) {
    this.entry = entry;
    this.data = data;
  }

  async json(read: JsonRead): Promise<Uint8Array | undefined> {
    const result = await this.read(read);
    if (result.kind !== 'json') throw new Error(`a ${read.kind} answered ${result.kind}`);
    return result.bytes;
  }

  async snapshot(read: SnapshotRead): Promise<Snapshot<Uint8Array>> {
    const result = await this.read(read);
    if (result.kind !== 'snapshot') throw new Error(`a snapshot answered ${result.kind}`);
    return result.snapshot;
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

  async health(): Promise<HealthFigures> {
    const result = await this.read({ kind: 'health' });
    if (result.kind !== 'health') throw new Error(`health answered ${result.kind}`);
    return result;
  }

  /** What a full check of the file finds (rule STO-06). */
  async quickCheck(): Promise<string> {
    const result = await this.read({ kind: 'quick_check' });
    if (result.kind !== 'checked') throw new Error(`a check answered ${result.kind}`);
    // A server that nobody asks needs no reader.
    this.endIdle();
    return result.found;
  }

  /** Ends the threads; reads that still wait fail as `internal`. */
  async close(): Promise<void> {
    const threads = this.threads.splice(0);
    const left = [...this.waiting.splice(0), ...threads.flatMap(({ current }) => current ?? [])];
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

  private async read(read: Read): Promise<Exclude<ReadResult, { kind: 'failed' }>> {
    const result = await new Promise<ReadResult>((resolve) => this.give({ read, resolve }));
    if (result.kind === 'failed') throw new ReadFailed(result.code, result.reason);
    return result;
  }

  private give(waiting: Waiting): void {
    const free = this.threads.find(({ current }) => current === undefined);
    const thread = free ?? (this.threads.length < THREADS ? this.start() : undefined);
    if (thread === undefined) {
      this.waiting.push(waiting);
      return;
    }
    thread.current = waiting;
    thread.worker.postMessage(waiting.read);
  }

  private start(): Thread {
    const worker = new Worker(this.entry, {
      workerData: this.data,
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const thread: Thread = { worker, current: undefined };
    const settle = (result: ReadResult): void => {
      const { current } = thread;
      thread.current = undefined;
      const next = this.waiting.shift();
      if (next !== undefined) this.give(next);
      current?.resolve(result);
    };
    worker.on('message', settle);
    worker.on('error', (error) => {
      const at = this.threads.indexOf(thread);
      if (at >= 0) this.threads.splice(at, 1);
      settle({ kind: 'failed', code: 'internal', reason: error.message });
    });
    this.threads.push(thread);
    return thread;
  }
}
