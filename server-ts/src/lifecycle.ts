/**
 * Ties a server to the program that started it: a file that announces it, and the end of the program's process (rules
 * PRO-16 and PRO-17).
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { TUNING } from './contract.ts';

/** The file that holds the ready line while the server runs. */
export class ReadyFile {
  private readonly path: string;
  private readonly line: string;

  private constructor(path: string, line: string) {
    this.path = path;
    this.line = line;
  }

  /**
   * Writes the line to the file (0600). The file has its name only when it is whole. Replaces only a regular file, so no
   * device or pipe.
   */
  static write(path: string, line: string): ReadyFile {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw Object.assign(new Error(), { code: 'EEXIST' });
    const partial = `${path}.partial`;
    rmSync(partial, { force: true });
    writeFileSync(partial, line, { flag: 'wx', mode: 0o600 });
    try {
      renameSync(partial, path);
    } catch (error) {
      rmSync(partial, { force: true });
      throw error;
    }
    return new ReadyFile(path, line);
  }

  /** Removes the file, unless a later server has replaced it. */
  remove(): void {
    try {
      if (readFileSync(this.path, 'utf8') === this.line) rmSync(this.path);
    } catch {
      // A file that cannot be removed names a process that has ended.
    }
  }
}

/** Resolves when the process with this id has ended; never for 0. */
export function processEnded(pid: number): Promise<void> {
  // A dead parent that no process has waited for still has its id, but is no parent any more.
  const isParent = process.ppid === pid;
  return new Promise((resolve) => {
    if (pid === 0) return;
    const tick = setInterval(() => {
      if (isRunning(pid) && (!isParent || process.ppid === pid)) return;
      clearInterval(tick);
      resolve();
    }, TUNING.parent_watch_ms);
    tick.unref();
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs as another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
