/** Measures bytes on disk: of a database that its server has closed, and of a deployed server. */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Target } from '@twin-ingest/testkit/servers/targets.ts';

export type DeployedSize = Awaited<ReturnType<typeof deployedSize>>;

/**
 * Returns the bytes that the project deploys: the binary, or all files in the bundle's folder and its other parts. If
 * the command of a target is not its artefact, the command is the runtime.
 */
export async function deployedSize({ command, artefact, parts = [] }: Target) {
  const isBinary = command === artefact;
  const own_bytes = isBinary
    ? await fileBytes([artefact])
    : (await fileBytes(parts)) + (await folderBytes(dirname(artefact)));
  return { own_bytes, with_runtime_bytes: own_bytes + (isBinary ? 0 : await fileBytes([command])) };
}

/** Returns the total size of all files below the folder. Symbolic links are not followed. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return fileBytes(files.map(({ parentPath, name }) => join(parentPath, name)));
}

async function fileBytes(files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map((file) => stat(file)));
  return found.reduce((sum, { size }) => sum + size, 0);
}
