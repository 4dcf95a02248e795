/** Creates folders, also where `mkdirSync` with `recursive` never returns. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Node's own `recursive` never returns where the system refuses a name in an existing
 * folder with ENOENT, as in `/proc`. Throws the error of the system.
 */
export function createFolder(path: string, mode = 0o777): void {
  const create = (): void => {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      if (!isFolder(path)) throw error;
    }
  };
  try {
    create();
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    createFolder(parent, mode);
    create();
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
