/**
 * Binds the Unix domain socket of `--socket`, and removes its file (rule PRO-11).
 *
 * Invariants: only this user can connect, from the first moment on. The server removes no file of another process.
 */
import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { LIMITS } from '../contract.ts';
import { HAS_UNIX_SOCKETS, SOCKET_PATH_BYTES } from '../platform.ts';

/** Leaves mode 0600: only the owner may connect (rule PRO-11). */
const UMASK = 0o177;

/** Reasons why the server cannot listen at the path: the key of the message in `config.json`. */
export type SocketProblem = 'in_use' | 'not_a_socket' | 'unusable';

/** A socket that this process listens on, and its file. */
export class SocketFile {
  private readonly path: string;
  private readonly server: Server;
  private readonly identity: string | undefined;

  private constructor(path: string, server: Server) {
    this.path = path;
    this.server = server;
    this.identity = identityOf(path);
  }

  /** Listens at `path` after removing a stale file. */
  static async bind(path: string, accept: (socket: Socket) => void): Promise<SocketFile | SocketProblem> {
    if (!HAS_UNIX_SOCKETS || Buffer.byteLength(path) > SOCKET_PATH_BYTES) return 'unusable';
    const problem = await removeStale(path);
    if (problem !== undefined) return problem;
    const server = createServer({ allowHalfOpen: true }, accept);
    return new Promise((resolve) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code === 'EADDRINUSE' ? 'in_use' : 'unusable');
      });
      const umask = process.umask(UMASK);
      try {
        // Node creates the file before `listen` returns.
        server.listen({ path: pipeName(path), backlog: LIMITS.connections }, () => {
          server.removeAllListeners('error');
          resolve(new SocketFile(path, server));
        });
      } catch {
        resolve('unusable');
      } finally {
        process.umask(umask);
      }
    });
  }

  /**
   * Removes the file, unless another file has replaced it, and stops listening; resolves when all connections have
   * ended.
   */
  remove(): Promise<void> {
    const isOurs = identityOf(this.path) === this.identity;
    const aside = `${this.path}.${process.pid}`;
    // `close` would remove any file at the path.
    if (!isOurs) rename(this.path, aside);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    if (!isOurs) rename(aside, this.path);
    return closed;
  }
}

/** Returns a path that Node does not take for the number of a port, as it takes `3000` (rule PRO-20). */
function pipeName(path: string): string {
  return Number(path) >= 0 ? `./${path}` : path;
}

/** Moves a file if it exists. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // The file no longer exists.
  }
}

/** Removes the socket file of a server that no longer runs; any other file is a problem. */
async function removeStale(path: string): Promise<SocketProblem | undefined> {
  try {
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file === undefined) return undefined;
    if (!file.isSocket()) return 'not_a_socket';
    switch (await tryConnect(path)) {
      // A full backlog also means that a process listens.
      case 'connected':
      case 'EAGAIN':
        return 'in_use';
      case 'ENOENT':
        return undefined;
      case 'ECONNREFUSED':
        unlinkSync(path);
        return undefined;
      default:
        return 'unusable';
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'unusable';
  }
}

/** Returns `connected`, or the code of the error. */
function tryConnect(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ path: pipeName(path) }, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
  });
}

/** Returns device and inode of a file; `undefined` when the file does not exist. */
function identityOf(path: string): string | undefined {
  const file = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return file && `${file.dev}-${file.ino}`;
}
