/**
 * Offers what Unix and Windows do differently by the same names: permissions, identities of files, processes, signals.
 *
 * Node hides most of the differences. Invariant: no other module asks whether this is Windows.
 */
const IS_WINDOWS = process.platform === 'win32';

/** Permission bits of the group and of other users. */
const OTHER_USERS = 0o077;

/** Flags of a file for calls that make its bytes survive a power loss. Windows syncs only what may be written. */
export const SYNC_FLAGS = IS_WINDOWS ? 'r+' : 'r';

/** Whether a program can make the names of a folder survive a power loss. NTFS keeps them in its own log. */
export const SYNCS_FOLDERS = !IS_WINDOWS;

/** Whether Node listens on Unix domain sockets; on Windows it has named pipes instead. */
export const HAS_UNIX_SOCKETS = !IS_WINDOWS;

/** Longest path of a Unix domain socket, before its NUL byte. */
export const SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** The signals that end the server (rule PRO-07); on Windows Ctrl-C, Ctrl-Break and a closed console. */
export const STOP_SIGNALS: readonly NodeJS.Signals[] = IS_WINDOWS
  ? ['SIGINT', 'SIGBREAK', 'SIGHUP']
  : ['SIGTERM', 'SIGINT'];

/** Returns whether the mode of a file gives other users any permission (rule SEC-06). On Windows it says nothing. */
export function isOpenToOthers(mode: number): boolean {
  return !IS_WINDOWS && (mode & OTHER_USERS) !== 0;
}
