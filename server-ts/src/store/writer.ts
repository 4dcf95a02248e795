/**
 * Queues requests for the one writer, which stores all waiting events as one group in one transaction.
 *
 * Lives in the main thread; the other half is `writer-thread`. It sends one message per group, at most two groups at
 * a time, and settles each request from the one reply. Invariants: a request settles only after its commit, and only
 * once. The memory of a group stays unchanged until its reply. Over 250 lines because it has a method for each message.
 */
import { Worker } from 'node:worker_threads';
import type { Buffers } from '../buffers.ts';
import { TUNING } from '../contract.ts';
import type { EventTable } from '../event.ts';
import type { EventSource, Meters } from '../meters.ts';
import type { Prices } from '../prices.ts';
import type { Attached, Attachment } from './attachments.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Applied, ClusterGroup, ClusterStream } from './cluster.ts';
import { isAsked } from './cluster-change.ts';
import { type ConnectionOptions, OpenError } from './connection.ts';
import type { Scope } from './deletions.ts';
import type { StoreCode } from './failure.ts';
import type { ForwardCursor } from './forwarding.ts';
import type { Bounds, DeletionResult, Progress } from './retention.ts';
import { idsFrom, putSubmission } from './submission.ts';
import type {
  AttachFailure,
  FromWriter,
  Opened,
  Stored,
  ToWriter,
  Warning,
  WriterData,
} from './writer-messages.ts';

/** Starts the thread early, since that takes as long as all other work before the file can be opened. */
export function startWriter(entry: URL): Worker {
  const workerData: WriterData = { role: 'writer', entry: entry.href };
  return new Worker(entry, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
}

/**
 * The outcomes of one request's events: ids in order, 0 for a duplicate; or the reason why none is stored. If the
 * thread may still read the events, the writer releases them later.
 */
export type Submitted =
  | { readonly ids: Float64Array }
  | { readonly code: StoreCode; readonly isStillRead: boolean };

interface Applying {
  readonly group: ClusterGroup;
  readonly settle: (result: Applied | { readonly code: StoreCode }) => void;
}

interface Waiting {
  readonly table: EventTable;
  readonly source: EventSource;
  readonly ascii: boolean;
  readonly settle: (result: Submitted) => void;
}

interface WriterEvents {
  /** Called after a commit that stored a row, before its requests settle. */
  onStored(newest: number): void;
  /** Called after each commit. */
  onWritten(): void;
  /** Called when a group was not tried. */
  onRefused(code: StoreCode): void;
  onFailure(code: StoreCode, reason: string): void;
  /** Called after each committed step of a deletion. */
  onDeleted(progress: Progress): void;
  /** Called with the bytes of attachments that a group of a stream removed, less those that it added. */
  onFreed(bytes: number): void;
  onProbed(code: StoreCode | undefined): void;
  onCheckpoint(checkpoint: Checkpoint): void;
  /** Called with a line for the log. */
  onWarning(warning: Warning): void;
}

/** Largest number of groups in flight to the thread: one being written, one ready to follow. */
const GROUPS_IN_FLIGHT = 2;

const NO_NUMBERS = new Float64Array(0);

export class Writer {
  private readonly worker: Worker;
  private readonly buffers: Buffers;
  private readonly events: WriterEvents;
  private readonly meters: Meters;
  private waiting: Waiting[] = [];
  private readonly inFlight: Waiting[][] = [];
  /** Groups without waiting requests; their replies come before those in flight. */
  private readonly givenUp: Waiting[][] = [];
  /** Attachments in flight to the thread. */
  private readonly attaching = new Map<number, (attached: Attached | AttachFailure) => void>();
  private lastAttachment = 0;
  /** Groups of a stream in flight to the thread. */
  private readonly applying = new Map<number, Applying>();
  private lastApplied = 0;
  /** Deletions in flight to the thread. */
  private readonly deleting = new Map<number, (result: DeletionResult) => void>();
  private lastDeletion = 0;
  private flushing = false;
  private closed: (() => void) | undefined;

  private constructor(worker: Worker, buffers: Buffers, meters: Meters, events: WriterEvents) {
    this.worker = worker;
    this.buffers = buffers;
    this.meters = meters;
    this.events = events;
  }

  /** Opens the file in the thread; rejects with an `UnusableFile` when that fails. */
  static open(
    worker: Worker,
    options: ConnectionOptions,
    prices: Prices | undefined,
    cursor: ForwardCursor | undefined,
    cluster: ClusterStream | undefined,
    buffers: Buffers,
    meters: Meters,
    events: WriterEvents,
  ): Promise<{ writer: Writer; opened: Opened }> {
    return new Promise((resolve, reject) => {
      const writer = new Writer(worker, buffers, meters, events);
      worker.once('error', reject);
      worker.on('message', (message: FromWriter) => {
        if (message.kind === 'opened') {
          worker.removeListener('error', reject);
          worker.once('error', (error) => events.onFailure('storage_error', error.message));
          resolve({ writer, opened: message });
        } else if (message.kind === 'unusable') {
          reject(new OpenError(message.exit, message.message));
        } else {
          writer.receive(message);
        }
      });
      const forward = cursor && { url: cursor.url, memory: cursor.memory };
      writer.send({ kind: 'open', ...options, prices, forward, cluster }, []);
    });
  }

  /** Stores the valid events of a request. The writer owns their memory until the promise settles. */
  submit(table: EventTable, source: EventSource, ascii: boolean): Promise<Submitted> {
    return new Promise((settle) => {
      this.waiting.push({ table, source, ascii, settle });
      this.schedule();
    });
  }

  /** Stores messages of a stream, and takes their table. */
  apply(group: ClusterGroup): Promise<Applied | { readonly code: StoreCode }> {
    return new Promise((settle) => {
      const number = ++this.lastApplied;
      this.applying.set(number, { group, settle });
      const { events, change, changedAt, file, sequence } = group;
      const jobs: number[] = [];
      const moved: ArrayBuffer[] = [];
      const placeOf = (memory: ArrayBufferLike): number =>
        memory instanceof SharedArrayBuffer ? this.buffers.numberOf(memory) : -moved.push(memory);
      if (events !== undefined) putSubmission(jobs, events.table, false, placeOf);
      const news = this.buffers.takeNews();
      const { sequences, times } = events ?? { sequences: NO_NUMBERS, times: NO_NUMBERS };
      const changed = { change, changedAt, file, sequence };
      this.send({ kind: 'apply', number, jobs, moved, news, sequences, times, ...changed }, moved);
    });
  }

  /** Gives a received content its final name, and stores the row that refers to it. */
  attach(attachment: Attachment): Promise<Attached | AttachFailure> {
    return new Promise((settle) => {
      const number = ++this.lastAttachment;
      this.attaching.set(number, settle);
      this.send({ kind: 'attach', number, attachment }, []);
    });
  }

  /** Deletes what the scope covers; settles after the commit of the last step. */
  delete(scope: Scope): Promise<DeletionResult> {
    return new Promise((settle) => {
      const number = ++this.lastDeletion;
      this.deleting.set(number, settle);
      this.send({ kind: 'delete', number, scope }, []);
    });
  }

  setBounds(bounds: Bounds): void {
    this.send({ kind: 'bounds', bounds }, []);
  }

  /** Requests a check of the bounds of retention. */
  tick(): void {
    this.send({ kind: 'tick' }, []);
  }

  probe(): void {
    this.send({ kind: 'probe' }, []);
  }

  /** Checkpoints and closes after all submitted events. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.closed = () => {
        void this.worker.terminate();
        resolve();
      };
      this.send({ kind: 'close' }, []);
    });
  }

  /** Settles all waiting requests with this code; a group in progress may still commit. */
  giveUp(code: StoreCode): void {
    const groups = this.inFlight.splice(0);
    this.givenUp.push(...groups);
    for (const { settle } of groups.flat()) settle({ code, isStillRead: true });
    for (const { settle } of this.waiting.splice(0)) settle({ code, isStillRead: false });
    for (const { settle } of this.applying.values()) settle({ code });
    this.applying.clear();
    for (const settle of this.attaching.values()) settle({ code });
    this.attaching.clear();
    for (const settle of this.deleting.values()) settle({ code });
    this.deleting.clear();
  }

  /** Sends a group at the end of the turn, so that requests that were read together are stored together. */
  private schedule(): void {
    if (this.flushing || this.inFlight.length >= GROUPS_IN_FLIGHT) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    if (this.waiting.length === 0 || this.inFlight.length >= GROUPS_IN_FLIGHT) return;
    let events = 0;
    let taken = 0;
    while (taken < this.waiting.length && (taken === 0 || events < TUNING.group_events)) {
      events += this.waiting[taken]!.table.count;
      taken++;
    }
    const group = this.waiting.splice(0, taken);
    const jobs: number[] = [];
    const moved: ArrayBuffer[] = [];
    const placeOf = (memory: ArrayBufferLike): number =>
      memory instanceof SharedArrayBuffer ? this.buffers.numberOf(memory) : -moved.push(memory);
    for (const { table, ascii } of group) putSubmission(jobs, table, ascii, placeOf);
    this.inFlight.push(group);
    this.send({ kind: 'group', jobs, moved, news: this.buffers.takeNews() }, moved);
    this.schedule();
  }

  private receive(message: Exclude<FromWriter, { kind: 'opened' | 'unusable' }>): void {
    switch (message.kind) {
      case 'stored': {
        const group = this.replied();
        for (const memory of message.moved) this.buffers.give(memory);
        const { ids, stored, newest } = message;
        this.events.onWritten();
        this.countGroup(message, group);
        this.meters.countIgnoredTimes(message.ignoredTimes);
        if (stored > 0) this.events.onStored(newest);
        let at = 0;
        for (const { table, settle } of group) {
          const { count } = table;
          settle({ ids: ids?.subarray(at, at + count) ?? idsFrom(newest - stored + 1 + at, count) });
          at += count;
        }
        break;
      }
      case 'refused':
        this.events.onRefused(message.code);
        this.refuse(message.code);
        break;
      case 'failed':
        this.refuse(message.code);
        this.events.onFailure(message.code, message.reason);
        break;
      case 'applied': {
        for (const memory of message.moved) this.buffers.give(memory);
        const { ids, stored, newest, deleted, attached, removed, durationMs, committedMs } = message;
        const change = this.applying.get(message.number)?.group.change;
        this.events.onWritten();
        const isNewer = stored > 0 || deleted !== undefined;
        this.meters.countGroup(ids.length, durationMs, committedMs, isNewer ? newest : undefined);
        this.meters.countIgnoredTimes(message.ignoredTimes);
        if (deleted !== undefined) {
          this.meters.countDeletion(deleted);
          this.events.onDeleted({ newest, isAsked: isAsked(change), events: deleted, freedBytes: 0 });
        } else if (stored > 0) {
          this.events.onStored(newest);
        }
        this.events.onFreed(message.freedBytes);
        this.settleApplied(message.number, { ids, deleted, attached, removed });
        break;
      }
      case 'not_applied':
        this.events.onRefused(message.code);
        this.settleApplied(message.number, { code: message.code });
        break;
      case 'attached':
        if (typeof message.attached === 'string') this.events.onWritten();
        this.attaching.get(message.number)?.(message.attached);
        this.attaching.delete(message.number);
        break;
      case 'progress':
        this.meters.countDeletion(message.events);
        this.events.onWritten();
        this.events.onDeleted(message);
        break;
      case 'deleted':
        this.deleting.get(message.number)?.(message.result);
        this.deleting.delete(message.number);
        break;
      case 'probed':
        this.events.onProbed(message.code);
        break;
      case 'checkpoint':
        this.meters.checkpointDurations.observe(message.durationMs / 1000);
        this.events.onCheckpoint(message.checkpoint);
        break;
      case 'unwell':
        this.events.onFailure(message.code, message.reason);
        break;
      case 'warning':
        this.events.onWarning(message);
        break;
      case 'closed':
        this.closed?.();
        break;
    }
    if (this.waiting.length > 0) this.schedule();
  }

  /** Counts a stored group, and its events by their sources. */
  private countGroup(
    { ids, stored, newest, durationMs, committedMs }: Stored,
    group: readonly Waiting[],
  ): void {
    let at = 0;
    for (const { table, source } of group) {
      let duplicates = 0;
      for (let end = at + table.count; at < end; at++) if (ids?.[at] === 0) duplicates++;
      this.meters.countEvents('accepted', source, table.count - duplicates);
      this.meters.countEvents('duplicate', source, duplicates);
    }
    this.meters.countGroup(at, durationMs, committedMs, stored > 0 ? newest : undefined);
  }

  private settleApplied(number: number, result: Applied | { readonly code: StoreCode }): void {
    const applying = this.applying.get(number);
    this.applying.delete(number);
    applying?.group.events?.table.release();
    applying?.settle(result);
  }

  private refuse(code: StoreCode): void {
    for (const { settle } of this.replied()) settle({ code, isStillRead: false });
  }

  /** Returns the requests of a reply; none if the group was given up. */
  private replied(): readonly Waiting[] {
    const givenUp = this.givenUp.shift();
    if (givenUp === undefined) return this.inFlight.shift() ?? [];
    for (const { table } of givenUp) table.release();
    return [];
  }

  private send(message: ToWriter, moved: ArrayBuffer[]): void {
    this.worker.postMessage(message, moved);
  }
}
