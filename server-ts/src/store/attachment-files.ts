/**
 * Keeps the bytes of attachments in a folder next to the database, each content in a file named by its SHA-256 (rule
 * ATT-09).
 *
 * Invariants: a file in that folder under a final name is always complete, since the name comes from a rename. No
 * descriptor stays open between two reads or writes, so attachments never compete with connections for descriptors
 * (rule HTT-12). Functions for the writer's thread are synchronous, all others are not. Knows nothing of rows.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
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
import { LIMITS } from '../contract.ts';
import { type Digest, digestHex, parseDigest } from '../digest.ts';
import { SYNC_FLAGS, SYNCS_FOLDERS } from '../platform.ts';

/** Prefix of temporary file names. */
const TEMPORARY = 'upload-';

/** Appends only to an existing file: a removed file must not reappear. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** Returns the bytes that a file of `size` bytes takes on disk: whole blocks (rule ATT-04). */
export function diskBytes(size: number): number {
  return Math.ceil(size / LIMITS.attachment_block_bytes) * LIMITS.attachment_block_bytes;
}

/** The folder of a database's attachments, created with the first one. */
export class AttachmentFiles {
  private readonly folder: string;
  /** Whether files must survive a power loss. */
  private readonly isSynced: boolean;
  private next = 1;

  /** Uses the folder of the database at `db`. */
  constructor(db: string, durability: Durability) {
    this.folder = `${db}.attachments`;
    this.isSynced = durability === 'power';
  }

  /** Creates an empty temporary file. */
  async begin(): Promise<TemporaryFile> {
    await this.makeFirstFolder();
    const path = join(this.folder, `${TEMPORARY}${this.next++}`);
    await withFile(await open(path, 'wx', 0o600), async () => {});
    return new TemporaryFile(path, this.isSynced);
  }

  /** Renames a file to the name of its content. An existing file of that name holds the same bytes. */
  persist(file: string, digest: Digest): void {
    const path = this.pathOf(digest);
    const folder = dirname(path);
    this.makeFolder(folder);
    renameSync(file, path);
    this.syncFolder(folder);
  }

  /** Removes a content, if it is there. */
  remove(digest: Digest): void {
    rmSync(this.pathOf(digest), { force: true });
  }

  /** Returns whether the complete content exists. */
  async has(digest: Digest, size: number): Promise<boolean> {
    try {
      const file = await stat(this.pathOf(digest));
      return file.isFile() && file.size === size;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Does the same as `has`, but synchronously, for the writer's thread. */
  hasSync(digest: Digest, size: number): boolean {
    const file = statSync(this.pathOf(digest), { throwIfNoEntry: false });
    return file?.isFile() === true && file.size === size;
  }

  /** Copies a content to another folder; `false` when the complete content is not here. */
  copyTo(target: AttachmentFiles, digest: Digest, size: number): boolean {
    if (target.hasSync(digest, size)) return true;
    if (!this.hasSync(digest, size)) return false;
    target.makeFolder(target.folder);
    const file = join(target.folder, `${TEMPORARY}${target.next++}`);
    try {
      copyFileSync(this.pathOf(digest), file, constants.COPYFILE_FICLONE);
      chmodSync(file, 0o600);
      target.syncFile(file);
      target.persist(file, digest);
    } catch (error) {
      rmSync(file, { force: true });
      if (isMissing(error)) return false;
      throw error;
    }
    return true;
  }

  /** Reads exactly `length` bytes of a content from `start`. */
  async read(digest: Digest, start: number, length: number): Promise<Buffer> {
    return readPart(this.pathOf(digest), start, length);
  }

  /** Removes temporary files and unknown contents. Files with other names are not ours and stay. */
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
    if (!this.isSynced || !SYNCS_FOLDERS) return;
    await withFile(await open(dirname(this.folder), 'r'), (folder) => folder.sync());
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

  /** Makes the names of a folder survive a power loss. */
  private syncFolder(folder: string): void {
    if (this.isSynced && SYNCS_FOLDERS) sync(folder, 'r');
  }

  private syncFile(path: string): void {
    if (this.isSynced) sync(path, SYNC_FLAGS);
  }
}

/** A file without its final name. The caller of `begin` removes it unless it was renamed. */
export class TemporaryFile {
  readonly path: string;
  private readonly isSynced: boolean;

  constructor(path: string, isSynced: boolean) {
    this.path = path;
    this.isSynced = isSynced;
  }

  /** Appends bytes. */
  append(bytes: Uint8Array): Promise<void> {
    return appendFile(this.path, bytes, { flag: APPEND as unknown as string });
  }

  /** Reads exactly `length` bytes from `start`. */
  read(start: number, length: number): Promise<Buffer> {
    return readPart(this.path, start, length);
  }

  /** Makes its bytes survive a power loss, if required. */
  async sync(): Promise<void> {
    if (this.isSynced) await withFile(await open(this.path, SYNC_FLAGS), (file) => file.sync());
  }

  /** Removes the file, which is absent after a rename; the next start removes a file that remains. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => {});
  }
}

async function readPart(path: string, start: number, length: number): Promise<Buffer> {
  return withFile(await open(path, 'r'), async (file) => {
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

async function withFile<T>(file: FileHandle, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the file names in a folder; none for a missing folder. */
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
