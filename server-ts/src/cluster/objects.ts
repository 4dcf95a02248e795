/**
 * Puts the bytes of attachments into the bucket, and gets them for this copy (rules CLU-14 and CLU-16).
 *
 * Invariant: the name of an object has the id of its event and the SHA-256 of its bytes. No two contents have one name, and
 * an object of an event that is gone is of no use.
 */
import { createHash } from 'node:crypto';
import { LIMITS, TUNING } from '../contract.ts';
import { type Digest, digestHex } from '../digest.ts';
import { Failure } from '../error.ts';
import type { Log } from '../log.ts';
import type { AttachmentFiles, TemporaryFile } from '../store/attachment-files.ts';
import type { ClusterChange } from '../store/cluster-change.ts';
import { fileCode } from '../store/failure.ts';
import { type Bucket, MissingBytes, within } from './bucket.ts';
import { reasonOf } from './link.ts';

/** The change that adds an attachment. */
type Attach = Extract<ClusterChange, { readonly kind: 'attach' }>;

/** The bytes of attachments between this server and the bucket. */
export class Objects {
  private readonly bucket: Bucket;
  private readonly files: AttachmentFiles;
  private readonly log: Log;
  /** Paths of contents that this server has received, by object; their messages are not applied yet. */
  private readonly received = new Map<string, string>();

  constructor(bucket: Bucket, files: AttachmentFiles, log: Log) {
    this.bucket = bucket;
    this.files = files;
    this.log = log;
  }

  /**
   * Puts a received content into the bucket, and remembers it until the returned function is called. Throws a `Failure`.
   */
  async put(event: number, sha256: Digest, size: number, file: TemporaryFile): Promise<() => void> {
    const name = nameOf(event, sha256);
    try {
      const store = await this.bucket.openOrCreate();
      await store.put({ name }, readerOf(file, size), { timeout: LIMITS.cluster_answer_ms });
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, 'the object store did not take an attachment');
      throw new Failure('cluster_unavailable');
    }
    this.received.set(name, file.path);
    return () => this.received.delete(name);
  }

  /**
   * Returns the path of the bytes of an attachment of the stream; `undefined` when this server has them, or the bucket no
   * longer does. Throws `MissingBytes` when the copy cannot go on.
   */
  async content({ event, sha256: digits, size }: Attach): Promise<string | undefined> {
    const sha256 = Buffer.from(digits, 'hex');
    if (await filed(this.files.has(sha256, size))) return undefined;
    const name = nameOf(event, sha256);
    const received = this.received.get(name);
    if (received !== undefined) return received;
    const bytes = await within(this.bucket.read(name));
    if (bytes === undefined) return undefined;
    const file = await filed(this.files.begin());
    const hash = createHash('sha256');
    let length = 0;
    try {
      for (;;) {
        const { done, value } = await within(bytes.next());
        if (done) break;
        hash.update(value);
        length += value.length;
        await filed(file.append(value));
      }
      if (length === size && hash.digest().equals(sha256)) {
        await filed(file.sync());
        return file.path;
      }
      this.log.error({ object: name }, 'an object has the bytes of another attachment');
      await file.remove();
      return undefined;
    } catch (error) {
      await file.remove();
      throw error;
    }
  }
}

/** Returns the name of the object of an attachment. */
function nameOf(event: number, sha256: Digest): string {
  return `${event}.${digestHex(sha256)}`;
}

/** Reads a file in chunks, without an open descriptor between them. */
function readerOf(file: TemporaryFile, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at >= size) return controller.close();
        const bytes = await file.read(at, Math.min(size - at, TUNING.attachment_chunk_bytes));
        at += bytes.length;
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Awaits file work, whose failure stops the copy. */
async function filed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new MissingBytes(fileCode(error));
  }
}
