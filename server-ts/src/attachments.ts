/**
 * Receives attachments. It admits their bytes, writes them to a temporary file, computes their SHA-256, and passes
 * the result to the writer (rules ATT-01 and ATT-04).
 *
 * Invariants: at most one chunk and one read of each body are in memory. The bytes of all stored and incoming
 * contents stay within `--attachments-bytes`. An upload that ends early leaves no file behind. Knows nothing of HTTP.
 * Over 250 lines because the room, an upload and its content share their accounting.
 */
import { createHash } from 'node:crypto';
import type { Cluster } from './cluster/index.ts';
import type { Config } from './config/index.ts';
import { TUNING } from './contract.ts';
import type { Digest } from './digest.ts';
import { Failure } from './error.ts';
import type { Log } from './log.ts';
import type { Redaction } from './redact/index.ts';
import { RedactionStream } from './redact/stream.ts';
import { diskBytes, type TemporaryFile } from './store/attachment-files.ts';
import { fileCode } from './store/failure.ts';
import type { Store } from './store/index.ts';

type AttachmentsConfig = Pick<Config, 'maxAttachmentBytes' | 'attachmentsBytes' | 'redaction'>;

/** The event that gets a content, and the attachment's name there. */
export interface Reference {
  readonly event: number;
  readonly name: string;
  readonly mediaType: string;
}

/** A stored attachment. */
export interface Kept {
  /** Whether this request created it. */
  readonly isNew: boolean;
  /** SHA-256 of its bytes. */
  readonly sha256: Digest;
  /** Size in bytes. */
  readonly size: number;
}

/** Receives attachments and counts their bytes. */
export class Attachments {
  private readonly store: Store;
  /** Absent without `--store jetstream`. */
  private readonly cluster: Cluster | undefined;
  private readonly config: AttachmentsConfig;
  private readonly log: Log;
  private readonly room: Room;
  private redactedCount = 0;

  /** Creates the attachments of a store, within the limits of the configuration. */
  constructor(store: Store, cluster: Cluster | undefined, config: AttachmentsConfig, log: Log) {
    this.store = store;
    this.cluster = cluster;
    this.config = config;
    this.log = log;
    this.room = new Room(config.attachmentsBytes, store);
  }

  /** The bytes that all stored and incoming contents take on disk. */
  get bytes(): number {
    return this.room.taken;
  }

  /** The number of attachments that redaction changed since the start (rule RED-07). */
  get redacted(): number {
    return this.redactedCount;
  }

  /** Starts to receive a content of a client; `declared` is its length if known. The caller ends the upload. */
  async begin(declared: number | undefined): Promise<Upload> {
    const limit = this.config.maxAttachmentBytes;
    if (declared !== undefined && declared > limit) {
      throw new Failure('payload_too_large', { limit, actual: declared }, true);
    }
    const { refusal } = this.store;
    if (refusal !== undefined) throw new Failure(refusal);
    if (this.cluster?.isConnected === false) throw new Failure('cluster_unavailable');
    // A declared length takes no room, but one that cannot fit is refused at once.
    this.room.check(diskBytes(declared ?? 0), false);
    const held = new Held(this.room);
    try {
      const file = await this.filed(this.store.attachmentFiles.begin());
      return new Upload(limit, held, file, (work) => this.filed(work), this.config.redaction);
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /** Lets the writer add a reference to a received content. */
  async keep(received: Received, reference: Reference): Promise<Kept> {
    const { held, file, sha256, size } = received;
    const sent = Buffer.from(reference.name);
    const redactedName = this.config.redaction?.redactIdentity(sent, 0, sent.length);
    const name = redactedName ?? reference.name;
    const isShared = this.cluster !== undefined;
    const attachment = { ...reference, name, sha256, size, file: file.path, isShared };
    const attached = await (this.cluster?.attach(attachment, file) ?? this.store.attach(attachment));
    switch (attached) {
      case 'first':
      case 'stored':
        // The copy counts what the stream adds.
        if (attached === 'first' && !isShared) held.keep();
        if (received.isRedacted || redactedName !== undefined) this.redactedCount++;
        return { isNew: true, sha256, size };
      case 'repeated':
        return { isNew: false, sha256, size };
      case 'conflict':
        throw new Failure('attachment_exists');
      case 'no_event':
        throw new Failure('not_found');
      case 'unshared':
        throw new Failure('internal');
      default:
        throw new Failure(attached.code);
    }
  }

  /** Awaits file work and turns a failure into an error code. */
  private async filed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const code = fileCode(error);
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn({ code, reason }, 'an attachment was not written');
      throw new Failure(code);
    }
  }
}

/** A content that the server is receiving. The caller of `begin` ends it. */
export class Upload {
  private readonly maxBytes: number;
  private readonly held: Held;
  private readonly file: TemporaryFile;
  private readonly filed: <T>(work: Promise<T>) => Promise<T>;
  private readonly hash = createHash('sha256');
  /** Hash of the bytes as received, when redaction may change them. */
  private readonly received = createHash('sha256');
  private readonly stream: RedactionStream | undefined;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private size = 0;
  private storedSize = 0;
  /** Settles when the file holds the bytes passed so far. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    maxBytes: number,
    held: Held,
    file: TemporaryFile,
    filed: <T>(work: Promise<T>) => Promise<T>,
    redaction: Redaction | undefined,
  ) {
    this.maxBytes = maxBytes;
    this.held = held;
    this.file = file;
    this.filed = filed;
    this.stream = redaction === undefined ? undefined : new RedactionStream(redaction);
  }

  /** Takes the next bytes. If writing takes time, resolves when the caller may pass more. */
  take(bytes: Buffer): Promise<void> | undefined {
    this.size += bytes.length;
    if (this.size > this.maxBytes) throw new Failure('payload_too_large', { limit: this.maxBytes }, true);
    this.held.growTo(this.size);
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    return this.pendingBytes >= TUNING.attachment_chunk_bytes ? this.flush(false) : undefined;
  }

  /** Writes the rest. The file is then complete and durable. */
  async finish(): Promise<Received> {
    await this.flush(true);
    await this.filed(this.file.sync());
    const { held, file, stream, storedSize: size } = this;
    held.shrinkTo(size);
    const sha256 = this.hash.digest();
    const receivedSha256 = stream === undefined ? sha256 : this.received.digest();
    return { held, file, sha256, size, receivedSha256, isRedacted: stream?.hasMatches ?? false };
  }

  /** Gives back everything that is not kept: the bytes, and the file unless it has its final name. */
  async end(): Promise<void> {
    this.held.release();
    // The caller already received the failure of the last write.
    await this.writing.catch(() => {});
    await this.file.remove();
  }

  private flush(isLast: boolean): Promise<void> {
    let chunk = this.pending.length === 1 ? this.pending[0]! : Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    if (this.stream !== undefined) {
      this.received.update(chunk);
      chunk = this.stream.take(chunk, isLast);
    }
    this.hash.update(chunk);
    this.storedSize += chunk.length;
    if (chunk.length > 0) this.writing = this.filed(this.file.append(chunk));
    return this.writing;
  }
}

/** A content whose file is complete. */
export interface Received {
  readonly held: Held;
  readonly file: TemporaryFile;
  readonly sha256: Digest;
  readonly size: number;
  /** SHA-256 of the bytes as received, before their redaction. */
  readonly receivedSha256: Digest;
  readonly isRedacted: boolean;
}

/** Bytes of all stored and incoming contents. */
class Room {
  readonly limit: number;
  private readonly store: Store;
  private bytes: number;

  constructor(limit: number, store: Store) {
    this.limit = limit;
    this.store = store;
    this.bytes = store.attachmentBytes;
  }

  /** Bytes that are taken now, without those of deleted attachments. */
  get taken(): number {
    this.bytes = Math.max(0, this.bytes - this.store.takeFreedBytes());
    return this.bytes;
  }

  /** Refuses `more` bytes that do not fit. */
  check(more: number, close: boolean): void {
    const { limit } = this;
    if (this.taken + more > limit) throw new Failure('attachments_full', { limit }, close);
  }

  /** Takes more bytes, or gives some back. */
  take(bytes: number): void {
    this.bytes += bytes;
  }
}

/** Reserved bytes of the room. */
class Held {
  private readonly room: Room;
  private bytes = 0;

  constructor(room: Room) {
    this.room = room;
  }

  /** Reserves more blocks, so that it holds those of a content of `size` bytes. */
  growTo(size: number): void {
    const more = Math.max(0, diskBytes(size) - this.bytes);
    this.room.check(more, true);
    this.room.take(more);
    this.bytes += more;
  }

  /** Gives blocks back, so that it holds those of a content of `size` bytes. */
  shrinkTo(size: number): void {
    const less = Math.max(0, this.bytes - diskBytes(size));
    this.room.take(-less);
    this.bytes -= less;
  }

  /** Keeps the reserved bytes permanently. */
  keep(): void {
    this.bytes = 0;
  }

  release(): void {
    this.room.take(-this.bytes);
    this.bytes = 0;
  }
}
