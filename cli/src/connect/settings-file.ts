/**
 * A settings file that belongs to somebody else: read, kept beside itself, written whole or not at all.
 *
 * What must stay true: no backup is ever overwritten; a reader sees the old text or the new one; the mode stays, and
 * so does a link, whose target is written instead. Knows nothing of what the text says.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface SettingsFile {
  /** Where the text is, links followed. */
  readonly path: string;
  /** `null` where there is no file yet. */
  readonly text: string | null;
}

/** Throws what the system says when it cannot be read. */
export function readSettings(path: string): SettingsFile {
  try {
    const real = realpathSync(path);
    return { path: real, text: readFileSync(real, 'utf8') };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path, text: null };
    throw error;
  }
}

/** Copies what is there, if anything, to a name beside it that nothing has yet; says which. */
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

/** In the same folder first, then in the place of the old one. Settings may hold secrets: new files are the owner's. */
export function writeSettings({ path, text: before }: SettingsFile, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mode = before === null ? 0o600 : statSync(path).mode & 0o777;
  const temporary = `${path}.writing-${process.pid}`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
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

/** A file that was written as a whole. */
export function removeSettings({ path }: SettingsFile): void {
  rmSync(path);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
