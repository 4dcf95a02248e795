/**
 * Opens the database: one writer, a pool of readers, one lock, and the state of the file.
 *
 * Lives in the main thread and uses SQLite there for the newest events alone (`newest`). It decides the consequence
 * of a failure (rules STO-05, STO-06). It probes a full or read-only file until writes succeed, stops writes to a
 * corrupt file, and ends the process when the file is lost. Knows nothing of HTTP or of JSON text. Over 250 lines
 * because it has a method for each kind of read and write.
 */
import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Buffers } from '../buffers.ts';
import { nowMs } from '../clock.ts';
import type { Durability } from '../config/index.ts';
import { TUNING } from '../contract.ts';
import { PLAN, readersFor } from '../descriptors.ts';
import type { EventTable } from '../event.ts';
import { type EventSource, Meters } from '../meters.ts';
import type { Prices } from '../prices.ts';
import { AttachmentFiles, type MovedAside } from './attachment-files.ts';
import { FolderOwner } from './attachment-folder.ts';
import type { Attached, Attachment } from './attachments.ts';
import { Backups } from './backups.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Applied, ClusterGroup, ClusterPlace, ClusterStream } from './cluster.ts';
import type { NextStep } from './cluster-change.ts';
import type { Scope } from './deletions.ts';
import { type DiskSpace, isFull, isWritable, readDisk } from './disk.ts';
import { CONSEQUENCES, type StoreCode } from './failure.ts';
import type { ForwardBatch, ForwardCursor } from './forwarding.ts';
import { Newest } from './newest.ts';
import { takesStop, writeOwner } from './owner.ts';
import { privatePath, resolvePath } from './path.ts';
import type { EventFilter } from './query.ts';
import type {
  DueRead,
  ExportPage,
  ExportRead,
  Frames,
  HealthFigures,
  JsonRead,
  ReaderData,
  Snapshot,
  SnapshotRead,
} from './read.ts';
import { type Asker, Readers } from './reader.ts';
import type { Bounds, DeletionResult, dueBound } from './retention.ts';
import type { DayCost, Signal } from './signals.ts';
import { type Submitted, Writer } from './writer.ts';
import type { AttachFailure, Opened, Warning } from './writer-messages.ts';

interface StoreOptions {
  /** Path of the database; `:memory:` means a private temporary file. */
  readonly db: string;
  readonly durability: Durability;
  readonly prices: Prices | undefined;
  readonly bounds: Bounds;
  readonly sessionTimeoutMinutes: number;
  readonly waitingStaleHours: number;
  readonly maxMetadataBytes: number;
  /** Entry module of the reading threads; it calls `runReader`. */
  readonly entry: URL;
  /** The thread that `startWriter` started. */
  readonly writerThread: Worker;
  readonly nativeBinding: string | undefined;
  /** Receives the memory of stored bodies. */
  readonly buffers: Buffers;
  /** The progress of forwarding, if there is a receiver. */
  readonly cursor: ForwardCursor | undefined;
  /** The stream that the database is a copy of, if there is one. */
  readonly cluster: ClusterStream | undefined;
}

interface StoreEvents {
  /** Called with the newest id after a commit that stored a row. */
  onStored(newest: number): void;
  /** Called after a client's deletion: frames from before it must not be sent again. */
  onForgotten(): void;
  onFailure(code: StoreCode, reason: string): void;
  onRecovered(): void;
  /** Called at the start when the write-ahead log ends with frames of an incomplete transaction. */
  onLostFrames(frames: number): void;
  /** Called at the start for attachments that may belong to another database (rule ATT-11). */
  onMovedAside(moved: MovedAside): void;
  /** Called with a line of the writer for the log. */
  onWarning(warning: Warning): void;
  onCheckpoint(checkpoint: Checkpoint): void;
  /** Called when the full check after a crash found no problem. */
  onChecked(tables: number, ms: number): void;
  /** Called when all waiting requests are answered with this code; the process must end. */
  onFatal(code: StoreCode): void;
  /** Called when a program has asked the server of this database to end (rule STO-13). */
  onStopAsked(): void;
}

/** Sizes of the database file and of its log. */
interface Sizes {
  readonly dbBytes: number;
  readonly walBytes: number;
}

/** A failed write. */
interface Fault {
  readonly code: StoreCode;
  /** Unix time in milliseconds. */
  readonly atMs: number;
}

interface Health extends HealthFigures, Sizes {
  readonly disk: DiskSpace;
  /** The last failed write since the start. */
  readonly lastFault: Fault | undefined;
  readonly compileOptions: readonly string[];
  readonly pragmas: Readonly<Record<string, string | number>>;
  /** Reason why writes fail, if they do. */
  readonly reason: StoreCode | undefined;
}

export class Store {
  readonly path: string;
  readonly epoch: string;
  /** The folder of attachments. */
  readonly attachmentFiles: AttachmentFiles;
  /** The backups of this database. */
  readonly backups: Backups;
  private readonly opened: Opened;
  private readonly writer: Writer;
  private readonly readers: Readers;
  private readonly newestEvents: Newest;
  private readonly events: StoreEvents;
  /** Whether the file is in a folder of its own, which the store deletes when it closes. */
  private readonly isPrivate: boolean;
  private readonly watch: NodeJS.Timeout;
  private isClosed = false;
  /** Time since the last probe. */
  private sinceProbeMs = 0;
  private reason: StoreCode | undefined;
  /** The code of the last write if it failed. */
  private lastWrite: StoreCode | undefined;
  /** Whether the disk has no room for a write. Writes are still tried: the log may have room. */
  private diskIsFull = false;
  private wasWritable = true;
  private lastFault: Fault | undefined;
  readonly meters: Meters;
  private newestId: number;
  /** The newest id that a deletion took. */
  private lastDeletion: number;
  private retained: Bounds;
  /** Bytes of deleted attachments since the last `takeFreedBytes`, less those that a stream added. */
  private freedBytes = 0;

  private constructor(
    path: string,
    isPrivate: boolean,
    writer: Writer,
    opened: Opened,
    readers: Readers,
    newestEvents: Newest,
    files: AttachmentFiles,
    backups: Backups,
    bounds: Bounds,
    meters: Meters,
    events: StoreEvents,
  ) {
    this.path = path;
    this.meters = meters;
    this.isPrivate = isPrivate;
    this.epoch = opened.epoch;
    this.attachmentFiles = files;
    this.backups = backups;
    this.opened = opened;
    this.newestId = opened.newest;
    this.lastDeletion = opened.lastDeletion;
    const { place } = opened;
    this.retained = place === undefined ? bounds : (place.bounds ?? { days: 0, bytes: 0 });
    this.writer = writer;
    this.readers = readers;
    this.newestEvents = newestEvents;
    this.events = events;
    if (place === undefined) writer.setBounds(bounds);
    this.watch = setInterval(() => {
      void this.checkPresence();
      if (takesStop(path)) events.onStopAsked();
      if (this.reason === undefined) writer.tick();
      void this.probeIfDue();
    }, TUNING.storage_watch_ms);
  }

  /** Opens or creates the file. Rejects with an error whose message is the line for stderr (rule PRO-06). */
  static async open(options: StoreOptions, events: StoreEvents): Promise<Store> {
    const isPrivate = options.db === ':memory:';
    const path = isPrivate ? privatePath() : resolvePath(options.db);
    const { durability, nativeBinding, entry, sessionTimeoutMinutes, waitingStaleHours, maxMetadataBytes } =
      options;
    const connection = { path, durability, nativeBinding };
    const held: { store?: Store } = {};
    const meters = new Meters();
    const { writer, opened } = await Writer.open(
      options.writerThread,
      connection,
      options.prices,
      options.cursor,
      options.cluster,
      options.buffers,
      meters,
      {
        onWritten: () => held.store?.written(),
        onRefused: (code) => held.store?.writeFailed(code),
        onStored: (newest) => {
          if (held.store !== undefined) held.store.newestId = newest;
          events.onStored(newest);
        },
        onFailure: (code, reason) => held.store?.failed(code, reason),
        onDeleted: ({ newest, isAsked, freedBytes }) => {
          if (held.store !== undefined) {
            held.store.newestId = newest;
            held.store.lastDeletion = newest;
            held.store.freedBytes += freedBytes;
          }
          if (isAsked) events.onForgotten();
          events.onStored(newest);
        },
        onFreed: (bytes) => {
          if (held.store !== undefined) held.store.freedBytes += bytes;
        },
        onProbed: (code) => held.store?.probed(code),
        onCheckpoint: (checkpoint) => events.onCheckpoint(checkpoint),
        onWarning: (warning) => events.onWarning(warning),
      },
    );
    if (opened.lostFrames > 0) events.onLostFrames(opened.lostFrames);
    for (const moved of opened.movedAside) events.onMovedAside(moved);
    const data: ReaderData = { role: 'reader', ...connection, sessionTimeoutMinutes, waitingStaleHours };
    const readers = new Readers(entry, data, readersFor(PLAN, maxMetadataBytes));
    const newestEvents = new Newest(data, maxMetadataBytes);
    const { id, token } = opened.owner;
    const files = new AttachmentFiles(path, durability).useFor(new FolderOwner(id, token));
    held.store = new Store(
      path,
      isPrivate,
      writer,
      opened,
      readers,
      newestEvents,
      files,
      new Backups(path, nativeBinding, entry),
      options.bounds,
      meters,
      events,
    );
    return held.store;
  }

  /** Records the server's URL for other servers that find the database locked (rule STO-11). */
  announce(url: string): void {
    writeOwner(this.path, url);
  }

  /** The newest committed id. */
  get newest(): number {
    return this.newestId;
  }

  /** Stores the valid events of a request; settles after their commit. */
  submit(table: EventTable, source: EventSource, ascii: boolean): Promise<Submitted> {
    if (this.reason !== undefined) return Promise.resolve({ code: this.reason, isStillRead: false });
    return this.writer.submit(table, source, ascii);
  }

  /** Stores messages of the stream that this database is a copy of; settles after their commit. */
  apply(group: ClusterGroup): Promise<Applied | { readonly code: StoreCode }> {
    if (this.reason !== undefined) return Promise.resolve({ code: this.reason });
    return this.writer.apply(group);
  }

  /** The place of this database in its stream at the start; `undefined` without a stream. */
  get place(): ClusterPlace | undefined {
    return this.opened.place;
  }

  /** Gives a received content its final name, and stores the row that refers to it; settles after the commit. */
  attach(attachment: Attachment): Promise<Attached | AttachFailure> {
    if (this.reason !== undefined) return Promise.resolve({ code: this.reason });
    return this.writer.attach(attachment);
  }

  /**
   * Deletes events, or a session with its events; settles after the commit of the last step. `undefined` when nothing
   * matches (rule RET-04).
   */
  delete(scope: Scope): Promise<DeletionResult> {
    if (this.reason !== undefined) return Promise.resolve({ code: this.reason });
    return this.writer.delete(scope);
  }

  /** The bounds of retention. */
  get bounds(): Bounds {
    return this.retained;
  }

  /** Changes the bounds, and checks them now instead of within a second. In a copy the stream decides (rule CLU-11). */
  setBounds(bounds: Bounds): void {
    this.retained = bounds;
    if (this.place !== undefined) return;
    this.writer.setBounds(bounds);
    this.writer.tick();
  }

  /** Returns the bytes of attachments that were deleted since the last call, less those that a stream added. */
  takeFreedBytes(): number {
    const bytes = this.freedBytes;
    this.freedBytes = 0;
    return bytes;
  }

  /** Size of all attachments at the start, each content counted once (rule ATT-04). */
  get attachmentBytes(): number {
    return this.opened.attachmentBytes;
  }

  /** Number of files of attachments that the start moved aside (rule ATT-11). */
  get attachmentsAside(): number {
    return this.opened.movedAside.reduce((sum, { files }) => sum + files, 0);
  }

  /** Reason why writes are refused at once; `undefined` when they are tried. */
  get refusal(): StoreCode | undefined {
    return this.reason;
  }

  /**
   * Reason why the server is not ready: why writes are refused, why the last write failed, or a full disk (rule
   * HEA-02).
   */
  get fault(): StoreCode | undefined {
    return this.reason ?? this.lastWrite ?? (this.diskIsFull ? 'storage_full' : undefined);
  }

  json(read: JsonRead, asker?: Asker): Promise<Uint8Array | undefined> {
    return this.readers.json(read, asker);
  }

  /** Reads one page of an export. */
  exportPage(read: ExportRead, asker?: Asker): Promise<ExportPage> {
    return this.readers.exportPage(read, asker);
  }

  /** Reads the next events for a receiver. */
  forwardBatch(above: number, most: number): Promise<ForwardBatch> {
    return this.readers.forwardBatch(above, most);
  }

  /** Reads a topic's state and its revision in one transaction. */
  async snapshot(read: SnapshotRead, asker?: Asker): Promise<Snapshot> {
    const isNear = this.newestEvents.covers(read, this.newestId, this.lastDeletion);
    const near = isNear ? await this.newestEvents.snapshot(read) : undefined;
    return near ?? (await this.readers.snapshot(read, asker));
  }

  /**
   * Reads the revisions of these sessions in one transaction, in order. Without events, a session's revision is that of
   * the last deletion, or 0.
   */
  sessionRevisions(ids: readonly string[]): Promise<Float64Array> {
    return this.readers.sessionRevisions(ids);
  }

  frames(filter: EventFilter): Promise<Frames> {
    return this.readers.frames(filter);
  }

  /** Reads what notifications need of the events above an id, up to another one. */
  signals(after: number, newest: number): Promise<readonly Signal[]> {
    return this.readers.signals(after, newest);
  }

  /** Reads the next change of a deletion on all copies; `undefined` when nothing is left (rule CLU-11). */
  nextStep(scope: Scope, block: number): Promise<NextStep | undefined> {
    return this.readers.nextStep(scope, block);
  }

  /** Reads the newest id that these bounds let a step delete (rule CLU-12). */
  due(bounds: DueRead['bounds']): Promise<ReturnType<typeof dueBound>> {
    return this.readers.due(bounds);
  }

  /** Reads the cost in US dollars of the day from one time in Unix seconds up to another. */
  dayCost(startS: number, endS: number, asker?: Asker): Promise<DayCost> {
    return this.readers.dayCost(startS, endS, asker);
  }

  /** Reads the health figures, with the reason why writes fail if they do. */
  async health(asker?: Asker): Promise<Health> {
    const [figures, sizes, disk] = await Promise.all([this.readers.health(asker), this.sizes(), this.disk()]);
    const { compileOptions, pragmas } = this.opened;
    const { fault: reason, lastFault } = this;
    return { ...figures, ...sizes, disk, lastFault, compileOptions, pragmas, reason };
  }

  /** Returns the sizes of the database file and of its log. */
  async sizes(): Promise<Sizes> {
    const [dbBytes, walBytes] = await Promise.all([sizeOf(this.path), sizeOf(`${this.path}-wal`)]);
    return { dbBytes, walBytes };
  }

  /** Returns the space of the disk that holds the database; zeros when the system does not report it. */
  async disk(): Promise<DiskSpace> {
    return (await readDisk(this.path)) ?? { freeBytes: 0, sizeBytes: 0 };
  }

  /** Checks the whole file after a start that followed a crash (rule STO-06). */
  async checkAll(): Promise<void> {
    if (!this.opened.wasUnclean) return;
    const start = performance.now();
    for (let table = 0; ; table += 1) {
      const step = performance.now();
      const found = await this.readers.checkTable(table);
      if (found === undefined) return this.events.onChecked(table, Math.round(performance.now() - start));
      if (found !== 'ok') return this.failed('storage_corrupt', found);
      await pause(performance.now() - step, undefined, { ref: false });
      if (this.isClosed) return;
    }
  }

  /** Closes the store. Readers close first, since the last connection removes the log. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.watch);
    await this.readers.close();
    await this.newestEvents.close();
    await this.writer.close();
    if (this.isPrivate) rmSync(dirname(this.path), { recursive: true, force: true });
  }

  private failed(code: StoreCode, reason: string): void {
    this.events.onFailure(code, reason);
    this.writeFailed(code);
    if (severity(code) <= severity(this.reason)) return;
    this.reason = code;
    if (CONSEQUENCES[code] === 'exit') {
      clearInterval(this.watch);
      this.writer.giveUp(code);
      this.events.onFatal(code);
    }
  }

  private probed(code: StoreCode | undefined): void {
    if (code === undefined) {
      if (this.reason !== undefined) this.events.onRecovered();
      this.reason = undefined;
      this.written();
    } else if (code === this.fault) {
      this.writeFailed(code);
    } else {
      if (CONSEQUENCES[code] !== 'none') this.reason = undefined;
      this.failed(code, 'found by a probe');
    }
  }

  /** Records a write that succeeded. */
  private written(): void {
    this.lastWrite = undefined;
  }

  /** Records a failed write. */
  private writeFailed(code: StoreCode): void {
    this.lastWrite = code;
    this.noteFault(code);
  }

  private noteFault(code: StoreCode): void {
    this.lastFault = { code, atMs: nowMs() };
  }

  /**
   * Requests a probe write after a failed write, and on signs that the next write fails (rules STO-05 and HEA-02).
   */
  private async probeIfDue(): Promise<void> {
    const [space, canWrite] = await Promise.all([readDisk(this.path), isWritable(this.path)]);
    this.setDiskFull(space !== undefined && isFull(space));
    this.sinceProbeMs += TUNING.storage_watch_ms;
    const hasWarning = this.wasWritable && !canWrite;
    this.wasWritable = canWrite;
    if (this.sinceProbeMs < TUNING.probe_interval_ms || !this.wantsProbe(hasWarning)) return;
    this.sinceProbeMs = 0;
    this.writer.probe();
  }

  /** Records whether the disk has no room for a write. */
  private setDiskFull(isFull: boolean): void {
    if (isFull && !this.diskIsFull) this.noteFault('storage_full');
    this.diskIsFull = isFull;
  }

  /**
   * Returns whether a probe may end the fault, or find one after a warning. On a full disk a probe proves
   * nothing, because it needs less room than events.
   */
  private wantsProbe(hasWarning: boolean): boolean {
    const isFinal = this.reason !== undefined && CONSEQUENCES[this.reason] !== 'probe';
    return (hasWarning || this.fault !== undefined) && !this.diskIsFull && !isFinal;
  }

  /**
   * Checks that the file still exists. Otherwise all later events would be lost silently when the file is deleted or
   * replaced.
   */
  private async checkPresence(): Promise<void> {
    let same = false;
    try {
      const { ino, dev } = await stat(this.path);
      same = ino === this.opened.inode && dev === this.opened.device;
    } catch {
      // If the file is unreachable for any reason, later writes cannot be found again.
    }
    if (!same) this.failed('storage_lost', 'the file was deleted or replaced');
  }
}

/** Returns a number that orders consequences: a worse failure replaces the reason of another one. */
function severity(code: StoreCode | undefined): number {
  return code === undefined ? 0 : ['none', 'probe', 'stop_writing', 'exit'].indexOf(CONSEQUENCES[code]);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // A missing log is an empty log.
    return 0;
  }
}
