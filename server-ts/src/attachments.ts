/**
 * Receives attachments: admits their bytes, writes them to a temporary file while it computes their SHA-256, and has the
 * writer store them (rules ATT-01, ATT-04 and ATT-10).
 *
 * Invariants: of each body no more than a chunk and one read are in memory; the bytes of all contents and of those that
 * are being received stay within `--attachments-bytes`; an upload that ends early leaves no file behind.
 * Knows nothing of HTTP.
 */
import { createHash } from 'node:crypto';
import type { Config } from './config/index.ts';
import { LIMITS, VOCABULARY } from './contract.ts';
import type { Digest } from './digest.ts';
import { Failure } from './error.ts';
import type { Log } from './log.ts';
import type { TemporaryFile } from './store/attachment-files.ts';
import { fileCode } from './store/failure.ts';
import type { Store } from './store/index.ts';

type AttachmentsConfig = Pick<
  Config,
  'maxAttachmentBytes' | 'attachmentsBytes' | 'maxMetadataBytes' | 'keepHookPayloads'
>;

/** Which event gets a content, and how it is called there. */
export interface Reference {
  readonly event: number;
  readonly name: string;
  readonly mediaType: string;
}

/** An attachment that the store has. */
export interface Kept {
  /** The event did not have it before. */
  readonly isNew: boolean;
  /** The digest of its bytes. */
  readonly sha256: Digest;
  /** How many they are. */
  readonly size: number;
}

/** Receives attachments and counts their bytes. */
export class Attachments {
  private readonly store: Store;
  private readonly config: AttachmentsConfig;
  private readonly log: Log;
  private readonly room: Room;

  /** Attachments of a store, within the limits of the configuration. */
  constructor(store: Store, config: AttachmentsConfig, log: Log) {
    this.store = store;
    this.config = config;
    this.log = log;
    this.room = new Room(config.attachmentsBytes, store.attachmentBytes);
  }

  /** Begins to receive a content; `declared` is its length where that is known. The caller ends the upload. */
  async begin(declared: number | undefined): Promise<Upload> {
    const limit = this.config.maxAttachmentBytes;
    if (declared !== undefined && declared > limit) {
      throw new Failure('payload_too_large', { limit, actual: declared }, true);
    }
    const { refusal } = this.store;
    if (refusal !== undefined) throw new Failure(refusal);
    const held = new Held(this.room);
    held.growTo(declared ?? 0);
    try {
      const file = await this.filed(this.store.attachmentFiles.begin());
      return new Upload(limit, held, file, (work) => this.filed(work));
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /** Has the writer refer to a content that was received. */
  async keep(received: Received, reference: Reference): Promise<Kept> {
    const { held, file, sha256, size } = received;
    const attached = await this.store.attach({ ...reference, sha256, size, file: file.path });
    switch (attached) {
      case 'first':
        held.keep();
        return { isNew: true, sha256, size };
      case 'stored':
        return { isNew: true, sha256, size };
      case 'repeated':
        return { isNew: false, sha256, size };
      case 'conflict':
        throw new Failure('attachment_exists');
      default:
        throw new Failure(attached.code);
    }
  }

  /** A copy of a hook's payload, where it is to be kept once the hook's event is stored (rule ATT-10). */
  payloadToKeep(body: Buffer): Buffer | undefined {
    const { keepHookPayloads, maxMetadataBytes } = this.config;
    return keepHookPayloads && trimmedLength(body) > maxMetadataBytes ? Buffer.from(body) : undefined;
  }

  /** Keeps a hook's payload as an attachment of its event. A failure is logged, since the event stays. */
  async keepPayload(event: number, payload: Buffer): Promise<void> {
    const { name, media_type: mediaType } = VOCABULARY.hook_payload;
    let upload: Upload | undefined;
    try {
      upload = await this.begin(payload.length);
      await upload.take(payload);
      await this.keep(await upload.finish(), { event, name, mediaType });
    } catch (error) {
      const code = error instanceof Failure ? error.code : 'internal';
      this.log.warn({ code, event }, 'the payload of a hook was not kept');
    } finally {
      await upload?.end();
    }
  }

  /** What becomes of work on files; a failure has a code. */
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

/** A content that is being received. Whoever began it ends it. */
export class Upload {
  private readonly maxBytes: number;
  private readonly held: Held;
  private readonly file: TemporaryFile;
  private readonly filed: <T>(work: Promise<T>) => Promise<T>;
  private readonly hash = createHash('sha256');
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private size = 0;
  /** Settled once the file has what was to be written. */
  private writing: Promise<void> = Promise.resolve();

  constructor(maxBytes: number, held: Held, file: TemporaryFile, filed: <T>(work: Promise<T>) => Promise<T>) {
    this.maxBytes = maxBytes;
    this.held = held;
    this.file = file;
    this.filed = filed;
  }

  /** Takes the next bytes. Where that takes a while, it resolves when more may come. */
  take(bytes: Buffer): Promise<void> | undefined {
    this.size += bytes.length;
    if (this.size > this.maxBytes) throw new Failure('payload_too_large', { limit: this.maxBytes }, true);
    this.held.growTo(this.size, true);
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    return this.pendingBytes >= LIMITS.attachment_chunk_bytes ? this.flush() : undefined;
  }

  /** Writes what is left; the file is whole then, and survives what it has to. */
  async finish(): Promise<Received> {
    await this.flush();
    await this.filed(this.file.sync());
    const { held, file, size } = this;
    return { held, file, sha256: this.hash.digest(), size };
  }

  /** Gives back what is not kept: its bytes, and the file unless it got its name. */
  async end(): Promise<void> {
    this.held.release();
    // A failure of the last write was reported already.
    await this.writing.catch(() => {});
    await this.file.remove();
  }

  private flush(): Promise<void> {
    const chunk = this.pending.length === 1 ? this.pending[0]! : Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    this.hash.update(chunk);
    if (chunk.length > 0) this.writing = this.filed(this.file.append(chunk));
    return this.writing;
  }
}

/** A content that is in its file, whole. */
export interface Received {
  readonly held: Held;
  readonly file: TemporaryFile;
  readonly sha256: Digest;
  readonly size: number;
}

/** The bytes of all contents, and of those that are being received. */
class Room {
  readonly limit: number;
  taken: number;

  constructor(limit: number, taken: number) {
    this.limit = limit;
    this.taken = taken;
  }
}

/** A part of the room. */
class Held {
  private readonly room: Room;
  private bytes = 0;

  constructor(room: Room) {
    this.room = room;
  }

  /** Takes as much as is missing of so many bytes. */
  growTo(bytes: number, close = false): void {
    const more = Math.max(0, bytes - this.bytes);
    const { limit, taken } = this.room;
    if (taken + more > limit) throw new Failure('attachments_full', { limit }, close);
    this.room.taken += more;
    this.bytes += more;
  }

  /** Leaves the bytes taken for good. */
  keep(): void {
    this.bytes = 0;
  }

  release(): void {
    this.room.taken -= this.bytes;
    this.bytes = 0;
  }
}

/** Without the white space of JSON around it. */
function trimmedLength(body: Buffer): number {
  let [start, end] = [0, body.length];
  while (start < end && isBlank(body[start]!)) start++;
  while (end > start && isBlank(body[end - 1]!)) end--;
  return end - start;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
