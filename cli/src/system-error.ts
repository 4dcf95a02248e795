/** Turns an error of the system about a file into a sentence that names the path. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

const SENTENCES: Readonly<Record<string, string>> = {
  EACCES: 'is not open to this user',
  EDQUOT: 'cannot be written: the disk is full for this user',
  EEXIST: 'exists already',
  EISDIR: 'is a folder, not a file',
  ELOOP: 'is a link that leads back to itself',
  EMFILE: 'cannot be opened: this program has too many open files',
  ENAMETOOLONG: 'is too long for a path',
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full',
  ENOTDIR: 'leads through a file, as if it were a folder',
  ENOTEMPTY: 'is a folder that is not empty',
  EPERM: 'is not open to this user',
  EROFS: 'cannot be written: the disk is read-only',
  EXDEV: 'is on another disk',
};

/** Returns the sentence; `null` for any other error. */
export function systemSentence(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined) return null;
  // Writing to an open stream names no path.
  if (typeof path !== 'string')
    return syscall === 'write' ? `the output ${SENTENCES[code] ?? `cannot be written: ${code}`}` : null;
  if (code === 'ENOENT' && !existsSync(dirname(path))) return `${dirname(path)} does not exist`;
  if (code === 'EEXIST' && syscall === 'mkdir') return `${path} is a file, not a folder`;
  return `${path} ${SENTENCES[code] ?? `cannot be used: ${code}`}`;
}
