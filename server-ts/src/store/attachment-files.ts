/**
 * Keeps the bytes of attachments in a folder next to the database, each content in a file named by its SHA-256 (rule
 * ATT-09).
 *
 * Invariants: a file in that folder under a final name is always complete, since the name comes from a rename. No
 * descriptor stays open between two reads or writes, so attachments never compete with connections for descriptors
 * (rule HTT-12). Functions for the writer's thread are synchronous, all others are not. Knows nothing of rows. Over 250
 * lines because every change of the folder is here.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { appendFile, type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Durability } from '../config/index.ts';
import { LIMITS } from '../contract.ts';
import { type Digest, digestHex, parseDigest } from '../digest.ts';
import { SYNC_FLAGS, SYNCS_FOLDERS } from '../platform.ts';
import {
  ASIDE,
  type FolderOwner,
  FolderState,
  isAbsent,
  moveAside,
  PARTIAL_STATE,
  STATE,
} from './attachment-folder.ts';

/** Prefix of temporary file names. */
const TEMPORARY = 'upload-';

/** Appends only to an existing file: a removed file must not reappear. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** Returns the bytes that a file of `size` bytes takes on disk: whole blocks (rule ATT-04). */
export function diskBytes(size: number): number {
  return Math.ceil(size / LIMITS.attachment_block_bytes) * LIMITS.attachment_block_bytes;
}

/** What a start moved out of the folder, because another or a newer database may need it. */
export interface MovedAside {
  /** Number of files. */
  readonly files: number;
  /** Where they are. */
  readonly folder: string;
}

/** The folder of a database's attachments, created with the first one. */
export class AttachmentFiles {
  private readonly folder: string;
  /** The database whose id a new folder gets; `undefined` for a reader. */
  private owner: FolderOwner | undefined;
  /** Whether files must survive a power loss. */
  private readonly isSynced: boolean;
  private next = 1;

  /** Uses the folder of the database at `db`. */
  constructor(db: string, durability: Durability) {
    this.folder = `${db}.attachments`;
    this.isSynced = durability === 'power';
  }

  /** Uses the folder for the server of this database, after `claim` of its writer. */
  useFor(owner: FolderOwner): this {
    this.owner = owner;
    return this;
  }

  /** Takes the folder for the server of this database. A folder of another one is moved aside, and so is a link to it. */
  claim(owner: FolderOwner): MovedAside | undefined {
    // A kill between the last two steps of a copy leaves the second name.
    const found = FolderState.read(this.folder, STATE) ?? FolderState.read(this.folder, PARTIAL_STATE);
    if (found === undefined || found.id === owner.id) {
      this.nameState();
      return undefined;
    }
    const files = this.contents().length;
    return { files, folder: moveAside(this.folder) };
  }

  /**
   * Prepares the folder of a database that a command creates. Removes what an earlier try left, and moves anything else
   * aside; returns its new path.
   */
  beginCopy(): string | undefined {
    this.removeCopy();
    try {
      // Nothing is there, or only an empty folder.
      if (readdirSync(this.folder).length === 0) return undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
    }
    return moveAside(this.folder);
  }

  /** Creates the folder for the first content of a database that a command creates. */
  beginContents(owner: FolderOwner): void {
    this.makeFolder(this.folder);
    owner.settled().write(this.folder, PARTIAL_STATE);
  }

  /** Completes the folder of a database that has its name. */
  finishCopy(): void {
    this.nameState();
    if (existsSync(this.folder)) this.syncFolder(this.folder);
  }

  /** Removes the folder of a database that a command did not finish, and nothing of any other folder. */
  removeCopy(): void {
    const partial = join(this.folder, PARTIAL_STATE);
    if (existsSync(partial) && !existsSync(join(this.folder, STATE))) {
      for (const path of [...this.uploads(), ...this.contents().map(([path]) => path)]) rmSync(path);
      for (const name of namesIn(this.folder)) {
        // A file of another program keeps its folder.
        if (name.length === 2) removeEmpty(join(this.folder, name));
      }
      rmSync(partial);
    }
    // Only an empty folder goes, and no link.
    removeEmpty(this.folder);
  }

  /** Creates an empty temporary file. */
  async begin(): Promise<TemporaryFile> {
    if (await this.makeFirstFolder()) this.owner?.settled().write(this.folder, STATE);
    for (;;) {
      const path = join(this.folder, `${TEMPORARY}${this.next++}`);
      try {
        await withFile(await open(path, 'wx', 0o600), async () => {});
        return new TemporaryFile(path, this.isSynced);
      } catch (error) {
        // Another program, or a start that could prove nothing, left it.
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** Records a new content before it gets its name, and before the commit of its row. */
  note(state: FolderState): void {
    try {
      state.write(this.folder, STATE);
    } catch (error) {
      // There is no content either.
      if (!isMissing(error)) throw error;
    }
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
      copyFileSync(this.pathOf(digest), file, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
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

  /**
   * Removes temporary files, and contents whose rows the database has deleted. Moves unknown contents aside that may be
   * those of a newer state of the database, and takes back those that the database knows. Files with other names belong
   * to other programs and stay.
   */
  sweep(owner: FolderOwner, isKnown: (digest: Digest) => boolean): MovedAside | undefined {
    const state = FolderState.read(this.folder, STATE);
    const aside = join(this.folder, ASIDE);
    if (state !== undefined) for (const path of this.uploads()) rmSync(path);
    let files = 0;
    for (const [path, digest] of this.contents()) {
      if (isKnown(digest)) continue;
      if (state?.decide(owner, digest) === 'removed') {
        rmSync(path);
      } else {
        this.makeFolder(aside);
        renameSync(path, join(aside, digestHex(digest)));
        files++;
      }
    }
    for (const name of namesIn(aside)) {
      const digest = parseDigest(name);
      if (digest === undefined || !isKnown(digest)) continue;
      const path = this.pathOf(digest);
      if (existsSync(path)) continue;
      this.makeFolder(dirname(path));
      renameSync(join(aside, name), path);
    }
    // Every content that is left is one of this database.
    this.note(owner.settled());
    return files > 0 ? { files, folder: aside } : undefined;
  }

  /** Returns the paths of the temporary files. */
  private uploads(): string[] {
    const names = namesIn(this.folder).filter((name) => name.startsWith(TEMPORARY));
    return names.map((name) => join(this.folder, name));
  }

  /** Returns the contents, with their paths. */
  private contents(): [string, Digest][] {
    const contents: [string, Digest][] = [];
    for (const name of namesIn(this.folder)) {
      const folder = join(this.folder, name);
      if (name.length !== 2 || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
      for (const file of namesIn(folder)) {
        const digest = file.startsWith(name) ? parseDigest(file) : undefined;
        if (digest !== undefined) contents.push([join(folder, file), digest]);
      }
    }
    return contents;
  }

  /** Gives the state of a copy its name, if the folder is one. */
  private nameState(): void {
    try {
      renameSync(join(this.folder, PARTIAL_STATE), join(this.folder, STATE));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  private pathOf(digest: Digest): string {
    const name = digestHex(digest);
    return join(this.folder, name.slice(0, 2), name);
  }

  /** Creates the folder; returns whether it is new. */
  private async makeFirstFolder(): Promise<boolean> {
    try {
      await mkdir(this.folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return false;
    }
    if (this.isSynced && SYNCS_FOLDERS)
      await withFile(await open(dirname(this.folder), 'r'), (folder) => folder.sync());
    return true;
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

/** Removes a folder if it is empty. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is missing, a link, or holds something.
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
