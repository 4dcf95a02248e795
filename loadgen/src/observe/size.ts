/** Measures bytes on disk: of a database that its server has closed, and of a deployed server. */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Target } from '@twin-ingest/testkit/servers/targets.ts';

export interface DeployedSize {
  /** Bytes that the project deploys: the binary, or all files in the bundle's folder and its other parts. */
  readonly own_bytes: number;
  readonly with_runtime_bytes: number;
}

/** Returns the deployed size of a target. If its command is not its artefact, the command is the runtime. */
export async function deployedSize(target: Target): Promise<DeployedSize> {
  if (target.command === target.artefact) {
    const { size } = await stat(target.artefact);
    return { own_bytes: size, with_runtime_bytes: size };
  }
  const parts = await Promise.all((target.parts ?? []).map(async (path) => (await stat(path)).size));
  const own = parts.reduce((sum, size) => sum + size, await folderBytes(dirname(target.artefact)));
  return { own_bytes: own, with_runtime_bytes: own + (await stat(target.command)).size };
}

/** Returns the total size of all files below the folder. Symbolic links are not followed. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
