/**
 * Proves which files of a folder of attachments its database may remove (rule ATT-11).
 *
 * The file `state` names the database, and the newest new content before its row. `meta` of the database has the same
 * id, and a hash of all new contents: the token. So a start recognises the folder of another database, and a database
 * that is older than its folder. Knows nothing of rows.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Digest, digestHex } from '../digest.ts';

/** Name of the file that holds the state. */
export const STATE = 'state';
/** Its name while a command creates the database. */
export const PARTIAL_STATE = 'state.partial';
/** Name of the folder of contents that may belong to a newer database. */
export const ASIDE = 'aside';

/** Creates a missing file, and keeps the bytes of an existing one until they are overwritten. */
const OVERWRITE = constants.O_WRONLY | constants.O_CREAT;

/**
 * What a start does with a content that no row refers to. `removed`: the database has had its row, and deleted it. `kept`:
 * a newer state of the database may have its row.
 */
export type Orphan = 'removed' | 'kept';

/** What `meta` says of the folder. */
export class FolderOwner {
  /** A UUID that copies keep. */
  readonly id: string;
  /** The hash of all new contents so far, in hexadecimal. */
  readonly token: string;

  constructor(id: string, token: string) {
    this.id = id;
    this.token = token;
  }

  /** Returns the state of the folder before a new content gets its name. */
  withContent(digest: Digest): FolderState {
    const token = createHash('sha256').update(this.token).update(digest).digest('hex');
    return new FolderState(this.id, this.token, token, digestHex(digest));
  }

  /** Returns the state of the folder when every content in it is one that the database has seen. */
  settled(): FolderState {
    return new FolderState(this.id, this.token, this.token, '0'.repeat(64));
  }
}

/** The state of a folder. */
export class FolderState {
  /** The id of the database. */
  readonly id: string;
  /** The token before the newest new content. */
  readonly before: string;
  /** The token with it. */
  readonly token: string;
  /** The SHA-256 of the newest new content, in hexadecimal; zeros without one. */
  readonly content: string;

  constructor(id: string, before: string, token: string, content: string) {
    this.id = id;
    this.before = before;
    this.token = token;
    this.content = content;
  }

  /** Reads the state of a folder; `undefined` without a complete one. */
  static read(folder: string, name: string): FolderState | undefined {
    let text: string;
    try {
      text = readFileSync(join(folder, name), 'utf8');
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
    const parts = text.endsWith('\n') ? text.slice(0, -1).split(' ') : [];
    const [id, before, token, content] = parts;
    return parts.length === 4 ? new FolderState(id!, before!, token!, content!) : undefined;
  }

  /** Writes the state, which has the same length for every database, in one piece. So a kill leaves either state. */
  write(folder: string, name: string): void {
    const file = openSync(join(folder, name), OVERWRITE, 0o600);
    try {
      writeSync(file, `${this.id} ${this.before} ${this.token} ${this.content}\n`);
    } finally {
      closeSync(file);
    }
  }

  /** Decides about a content that no row of the database refers to. */
  decide(owner: FolderOwner, digest: Digest): Orphan {
    const isSeen =
      this.token === owner.token || (this.before === owner.token && this.content !== digestHex(digest));
    return this.id === owner.id && isSeen ? 'removed' : 'kept';
  }
}

/** Returns whether a file is missing because its folder is. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code));
}

/** Gives the folder of attachments at `folder`, or the link to it, the first free name `FOLDER.aside-N`; returns its path. */
export function moveAside(folder: string): string {
  for (let number = 1; ; number++) {
    const aside = `${folder}.${ASIDE}-${number}`;
    if (lstatSync(aside, { throwIfNoEntry: false }) !== undefined) continue;
    renameSync(folder, aside);
    return aside;
  }
}
