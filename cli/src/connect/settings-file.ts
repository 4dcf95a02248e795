/**
 * Reads, backs up and atomically replaces a settings file of the user.
 *
 * Invariants: a backup is never overwritten. A reader sees the old text or the new one. The file keeps its mode. A
 * symbolic link stays, and the file that it points to is written.
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
  /** The path of the text, with links resolved. */
  readonly path: string;
  /** `null` when the file does not exist. */
  readonly text: string | null;
}

/** Throws the system's error when the file is unreadable. */
export function readSettings(path: string): SettingsFile {
  try {
    const real = realpathSync(path);
    return { path: real, text: readFileSync(real, 'utf8') };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path, text: null };
    throw error;
  }
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

/** Removes a file that this program wrote completely. */
export function removeSettings({ path }: SettingsFile): void {
  rmSync(path);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
