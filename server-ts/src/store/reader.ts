/**
 * The reading connections: a small pool of threads, each with one connection.
 *
 * Two halves. `Readers` lives in the main thread: it gives a read to a free thread, starts the second one when
 * the first is busy, and queues beyond that. `runReader` is the thread: it runs the statements and renders the
 * answer, so that the main thread only passes bytes on.
 */
import { type MessagePort, Worker } from 'node:worker_threads';
import { VOCABULARY } from '../contract.ts';
import {
  renderCosts,
  renderCounts,
  renderEvent,
  renderEvents,
  renderFrame,
  renderSession,
  renderSessions,
  renderStats,
  renderTools,
} from '../render.ts';
import { type ConnectionOptions, openConnection } from './connection.ts';
import { type StoreCode, storeCode } from './failure.ts';
import { type EventFilter, Queries, type SessionFilter, type StatsFilter } from './query.ts';

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

export type Read =
  | JsonRead
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

type Result =
  | { readonly kind: 'json'; readonly bytes: Uint8Array | undefined }
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
  readonly resolve: (result: Result) => void;
}

interface Thread {
  readonly worker: Worker;
  current: Waiting | undefined;
}

const THREADS = 2;
/** Frames of one page stop after this many bytes. */
const PAGE_BYTES = 1 << 20;

export class Readers {
  private readonly entry: URL;
  private readonly data: ReaderData;
  private readonly threads: Thread[] = [];
  private readonly waiting: Waiting[] = [];

  constructor(entry: URL, data: ReaderData) {
    this.entry = entry;
    this.data = data;
    this.start();
  }

  async json(read: JsonRead): Promise<Uint8Array | undefined> {
    const result = await this.read(read);
    if (result.kind !== 'json') throw new Error(`a ${read.kind} answered ${result.kind}`);
    return result.bytes;
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
    return result.found;
  }

  /** Ends the threads; reads that still wait fail as `internal`. */
  async close(): Promise<void> {
    const threads = this.threads.splice(0);
    const left = [...this.waiting.splice(0), ...threads.flatMap(({ current }) => current ?? [])];
    for (const { resolve } of left) resolve({ kind: 'failed', code: 'internal', reason: 'closing' });
    await Promise.all(
      threads.map(
        ({ worker }) =>
          new Promise<void>((resolve) => {
            worker.once('exit', () => resolve());
            worker.postMessage('close');
          }),
      ),
    );
  }

  private async read(read: Read): Promise<Exclude<Result, { kind: 'failed' }>> {
    const result = await new Promise<Result>((resolve) => this.give({ read, resolve }));
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
    const settle = (result: Result): void => {
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

/** The thread: answers reads one after the other. */
export function runReader(port: MessagePort, data: ReaderData): void {
  const db = openConnection({ ...data, readonly: true });
  const queries = new Queries(db, data.sessionTimeoutMinutes);
  port.on('message', (read: Read | 'close') => {
    if (read === 'close') {
      db.close();
      port.close();
      return;
    }
    let result: Result;
    try {
      result = queries.consistently(() => answer(queries, read));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      result = { kind: 'failed', code: storeCode(error), reason };
    }
    port.postMessage(result, buffersOf(result));
  });
}

function answer(queries: Queries, read: Read): Result {
  switch (read.kind) {
    case 'events_after':
      return frames(queries, read.filter);
    case 'health':
      return {
        kind: 'health',
        epoch: queries.epoch(),
        sqliteVersion: queries.sqliteVersion(),
        journalMode: String(queries.pragma('journal_mode')),
        synchronous: queries.pragma('synchronous') === 2 ? 'full' : 'normal',
      };
    case 'quick_check':
      return { kind: 'checked', found: queries.quickCheck() };
    default: {
      const text = json(queries, read);
      return { kind: 'json', bytes: text === undefined ? undefined : utf8(text) };
    }
  }
}

function json(queries: Queries, read: JsonRead): string | undefined {
  switch (read.kind) {
    case 'list_events': {
      const { rows, more } = queries.listEvents(read.filter);
      return renderEvents(rows, more ? rows.at(-1)![0] : null);
    }
    case 'get_event': {
      const row = queries.getEvent(read.id);
      return row === undefined ? undefined : renderEvent(row);
    }
    case 'list_sessions': {
      const { rows, more } = queries.listSessions(read.filter);
      return renderSessions(rows, more ? Number(rows.at(-1)!.last_event_id) : null);
    }
    case 'get_session': {
      const session = queries.getSession(read.id);
      if (session === undefined) return undefined;
      const filter: EventFilter = { names: {}, sessionId: read.id, order: 'desc', limit: read.limit };
      return renderSession(session, queries.listEvents(filter).rows);
    }
    case 'stats':
      return stats(queries, read.filter);
    case 'tools':
      return renderTools(queries.tools(read.filter), queries.toolAgents(read.filter), read.filter.since);
    case 'costs':
      return renderCosts(
        queries.costTimeline(read.filter, read.limit),
        queries.costs(read.filter, 'project'),
        queries.costs(read.filter, 'model'),
        read.filter.since,
      );
    case 'filter_options':
      return renderCounts(
        VOCABULARY.name_kinds.map((kind) => {
          return [kind, kind === 'agent_type' ? queries.agents({}) : queries.counts({}, kind)] as const;
        }),
      );
  }
}

function stats(queries: Queries, filter: StatsFilter): string {
  return renderStats({
    totals: queries.totals(filter),
    sessions: queries.sessionTotals(filter),
    tools: queries.counts(filter, 'tool_name'),
    agents: queries.agents(filter),
    models: queries.counts(filter, 'model'),
    eventTypes: queries.counts(filter, 'event_type'),
    branches: queries.counts(filter, 'branch'),
    since: filter.since,
  });
}

/** As many rows as fit into a page, each rendered as a frame once, for whoever it is sent to. */
function frames(queries: Queries, filter: EventFilter): Result {
  const ids: number[] = [];
  const ends: number[] = [];
  const names: [string, string, string][] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  let more = false;
  for (const row of queries.events(filter, filter.limit + 1)) {
    if (ids.length === filter.limit || length >= PAGE_BYTES) {
      more = true;
      break;
    }
    const chunk = Buffer.from(renderFrame(row));
    chunks.push(chunk);
    length += chunk.length;
    ids.push(row[0]);
    ends.push(length);
    names.push([row[3], row[4], row[5]]);
  }
  const bytes = Buffer.allocUnsafeSlow(length);
  chunks.reduce((at, chunk) => at + chunk.copy(bytes, at), 0);
  return { kind: 'frames', bytes, ids: Float64Array.from(ids), ends: Uint32Array.from(ends), names, more };
}

/** Text as bytes that own their memory, so that it can be handed to the main thread. */
function utf8(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text, 0, 'utf8');
  return bytes;
}

function buffersOf(result: Result): ArrayBuffer[] {
  switch (result.kind) {
    case 'json':
      return result.bytes === undefined ? [] : [result.bytes.buffer as ArrayBuffer];
    case 'frames':
      return [result.bytes, result.ids, result.ends].map((view) => view.buffer as ArrayBuffer);
    default:
      return [];
  }
}
