/**
 * Classifies SQLite's result codes and file errors: the answer, and the server's state (rules STO-05, STO-06 and
 * PRO-06).
 *
 * Matches on result codes, never on message text.
 */
import type { ErrorCode } from '../error.ts';

export type StoreCode = Extract<
  ErrorCode,
  | 'internal'
  | 'storage_busy'
  | 'storage_corrupt'
  | 'storage_error'
  | 'storage_full'
  | 'storage_lost'
  | 'read_only'
>;

/** The server's reaction to a failure: continue, probe until writes succeed, stop writing for good, or exit. */
type Consequence = 'none' | 'probe' | 'stop_writing' | 'exit';

export const CONSEQUENCES: Readonly<Record<StoreCode, Consequence>> = {
  internal: 'none',
  storage_busy: 'none',
  storage_full: 'probe',
  read_only: 'probe',
  storage_corrupt: 'stop_writing',
  storage_error: 'exit',
  storage_lost: 'exit',
};

/** Returns the result code of an SQLite error, such as `SQLITE_BUSY_SNAPSHOT`; `undefined` for any other error. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'SqliteError') return undefined;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function storeCode(error: unknown): StoreCode {
  const code = sqliteCode(error);
  if (code === undefined) return 'internal';
  if (code === 'SQLITE_READONLY_DBMOVED') return 'storage_lost';
  switch (/^SQLITE_[A-Z]+/.exec(code)?.[0]) {
    case 'SQLITE_FULL':
      return 'storage_full';
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
      return 'read_only';
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
    // A file cannot be opened when descriptors run out; the watch detects a missing file (rule STO-06).
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_INTERRUPT':
      return 'storage_busy';
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return 'storage_corrupt';
    case 'SQLITE_IOERR':
      return 'storage_error';
    default:
      return 'internal';
  }
}

/** Returns the code for an error of an attachment's file. It has no effect on the database. */
export function fileCode(error: unknown): StoreCode {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'storage_full';
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'read_only';
    // Descriptors have run out.
    case 'EMFILE':
    case 'ENFILE':
      return 'storage_busy';
    default:
      return 'storage_error';
  }
}

/** Returns the reason why a file or its folder cannot be used at a start: a word of its own, or the code. */
export function fileReason(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'not_found';
    case 'EACCES':
    case 'EPERM':
      return 'permission_denied';
    // A folder cannot be created in place of a file.
    case 'ENOTDIR':
    case 'EEXIST':
      return 'not_a_folder';
    case 'ENAMETOOLONG':
      return 'too_long';
    default:
      return fileCode(error);
  }
}
