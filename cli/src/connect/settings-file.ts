/**
 * Reads, backs up and atomically replaces a settings file of the user.
 *
 * Invariants: a backup is never overwritten. A reader sees the old text or the new one. The file keeps its mode and its
 * byte order mark. A symbolic link stays, and the file that it points to is written, also one that does not exist yet.
 */
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createFolder } from '../folder.ts';
import { SettingsError } from './agent.ts';

/** The byte order mark of UTF-8. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface SettingsFile {
  /** The path of the text, with links resolved. */
  readonly path: string;
  /** Whether the given path was a link. */
  readonly isLink: boolean;
  /** Whether the file begins with the byte order mark of UTF-8, which is no part of the text. */
  readonly hasMark: boolean;
  /** `null` when the file does not exist. */
  readonly text: string | null;
}

/** Throws the system's error when the file is unreadable, and a `SettingsError` when its text or its link is unusable. */
export function readSettings(path: string): SettingsFile {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  try {
    const real = realpathSync(path);
    const status = statSync(real);
    // Reading a pipe would wait for a writer.
    if (!status.isFile() && !status.isDirectory())
      throw new SettingsError('not_a_file', 'is a pipe, a device or a socket');
    return { path: real, isLink, ...decoded(readFileSync(real)) };
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw new SettingsError('link', 'is a link that leads back to itself');
    // Reading a folder fails without its path.
    if (codeOf(error) !== 'ENOENT') throw Object.assign(error as Error, { path });
    return { path: isLink ? targetOf(path) : path, isLink, hasMark: false, text: null };
  }
}

/** Returns where a link without a target leads. Its folder must exist. */
function targetOf(link: string): string {
  let path = link;
  // The system has found no loop, so the chain ends.
  while (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    path = resolve(realpathSync(dirname(path)), readlinkSync(path));
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new SettingsError('link', `is a link to ${path}, whose folder does not exist`);
  return join(realpathSync(folder), basename(path));
}

function decoded(bytes: Buffer): { readonly hasMark: boolean; readonly text: string } {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new SettingsError('not_text', 'is UTF-16 text; save it as UTF-8');
  try {
    const hasMark = bytes.subarray(0, MARK.length).equals(MARK);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { hasMark, text };
  } catch {
    throw new SettingsError('not_text', 'is not UTF-8 text');
  }
}

/** Throws when a link leads to what this user cannot change, such as a generated file. */
export function checkTarget({ path, isLink, text }: SettingsFile): void {
  if (!isLink) return;
  const readOnly = () =>
    new SettingsError('link', `is a link to ${path}, which is read-only; change its source`);
  try {
    accessSync(dirname(path), constants.W_OK);
    if (text !== null) accessSync(path, constants.W_OK);
  } catch {
    throw readOnly();
  }
  // Root may write every file.
  if (text !== null && (statSync(path).mode & 0o222) === 0) throw readOnly();
}

/** Copies an existing file to an unused name next to it; returns the name. */
export function keepBackup({ path, text }: SettingsFile): string | null {
  if (text === null) return null;
  for (let number = 1; ; number++) {
    const backup = `${path}.backup-${number}`;
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Writes a file in the same folder, then renames it over the old one. Settings may hold secrets, so new files belong
 * to the owner alone.
 */
export function writeSettings({ path, text: before, hasMark }: SettingsFile, text: string): void {
  createFolder(dirname(path), 0o700);
  const mode = before === null ? 0o600 : statSync(path).mode & 0o777;
  const temporary = `${path}.writing-${process.pid}`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, hasMark ? `\u{feff}${text}` : text);
      fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes a file that this program wrote completely. */
export function removeSettings({ path }: SettingsFile): void {
  rmSync(path);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
