/**
 * Keeps the bytes of attachments in a folder next to the database, each content in a file named by its SHA-256 (rule
 * ATT-09).
 *
 * Invariants: a name of that folder always has its whole content, since a file gets it by a rename; no descriptor is
 * held between two reads or writes, so that attachments never compete with connections for one (rule HTT-12).
 * What the writer's thread calls is synchronous, all else is not. Knows nothing of rows.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { appendFile, type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Durability } from '../config/index.ts';
import { type Digest, digestHex, parseDigest } from '../digest.ts';

/** How the name of a temporary file begins. */
const TEMPORARY = 'upload-';

/** Bytes go to a file that is there: one that was removed meanwhile must not come back. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** The folder of a database's attachments. It is made when the first one comes. */
export class AttachmentFiles {
  private readonly folder: string;
  /** Whether a file has to survive the loss of power. */
  private readonly isSynced: boolean;
  private next = 1;

  /** The folder of the database at `db`. */
  constructor(db: string, durability: Durability) {
    this.folder = `${db}.attachments`;
    this.isSynced = durability === 'power';
  }

  /** Makes an empty temporary file. */
  async begin(): Promise<TemporaryFile> {
    await this.makeFirstFolder();
    const path = join(this.folder, `${TEMPORARY}${this.next++}`);
    await withFile(await open(path, 'wx', 0o600), async () => {});
    return new TemporaryFile(path, this.isSynced);
  }

  /** Gives a file the name of its content. A file that has it already holds the same bytes. */
  persist(file: string, digest: Digest): void {
    const path = this.pathOf(digest);
    const folder = dirname(path);
    this.makeFolder(folder);
    renameSync(file, path);
    this.syncFolder(folder);
  }

  /** Removes a content. */
  remove(digest: Digest): void {
    rmSync(this.pathOf(digest));
  }

  /** Whether the whole content is there. */
  async has(digest: Digest, size: number): Promise<boolean> {
    try {
      const file = await stat(this.pathOf(digest));
      return file.isFile() && file.size === size;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** The same for the writer's thread. */
  hasSync(digest: Digest, size: number): boolean {
    const file = statSync(this.pathOf(digest), { throwIfNoEntry: false });
    return file?.isFile() === true && file.size === size;
  }

  /** The bytes of a content from `start`, exactly `length` of them. */
  async read(digest: Digest, start: number, length: number): Promise<Buffer> {
    return withFile(await open(this.pathOf(digest), 'r'), async (file) => {
      const bytes = Buffer.allocUnsafeSlow(length);
      let at = 0;
      while (at < length) {
        const { bytesRead } = await file.read(bytes, at, length - at, start + at);
        if (bytesRead === 0) throw new Error('a file is shorter than its size');
        at += bytesRead;
      }
      return bytes;
    });
  }

  /** Removes temporary files, and contents that are not known. What has another name is not ours, and stays. */
  sweep(isKnown: (digest: Digest) => boolean): void {
    for (const name of namesIn(this.folder)) {
      const path = join(this.folder, name);
      if (name.startsWith(TEMPORARY)) {
        rmSync(path);
      } else if (name.length === 2 && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
        for (const file of namesIn(path)) {
          const digest = file.startsWith(name) ? parseDigest(file) : undefined;
          if (digest !== undefined && !isKnown(digest)) rmSync(join(path, file));
        }
      }
    }
  }

  private pathOf(digest: Digest): string {
    const name = digestHex(digest);
    return join(this.folder, name.slice(0, 2), name);
  }

  private async makeFirstFolder(): Promise<void> {
    try {
      await mkdir(this.folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return;
    }
    if (this.isSynced) await withFile(await open(dirname(this.folder), 'r'), (folder) => folder.sync());
  }

  private makeFolder(folder: string): void {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return;
    }
    this.syncFolder(dirname(folder));
  }

  /** Makes the names of a folder survive the loss of power. */
  private syncFolder(folder: string): void {
    if (!this.isSynced) return;
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** A file that has no name yet. Whoever began it removes it, unless it got one. */
export class TemporaryFile {
  readonly path: string;
  private readonly isSynced: boolean;

  constructor(path: string, isSynced: boolean) {
    this.path = path;
    this.isSynced = isSynced;
  }

  /** Writes bytes behind those that it has. */
  append(bytes: Uint8Array): Promise<void> {
    return appendFile(this.path, bytes, { flag: APPEND as unknown as string });
  }

  /** Makes its bytes survive the loss of power, where they have to. */
  async sync(): Promise<void> {
    if (this.isSynced) await withFile(await open(this.path, 'r'), (file) => file.sync());
  }

  /** Removes it; it is not there when it got its name, and what stays behind is removed at the next start. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => {});
  }
}

async function withFile<T>(file: FileHandle, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** The names in a folder; none where there is no folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
