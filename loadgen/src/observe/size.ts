/** Bytes on disk: of a database after its server has closed it, and of what is deployed. */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Target } from '@twin-ingest/testkit/servers/targets.ts';

export interface DeployedSize {
  /** What the project itself makes: the binary, or everything in the bundle's folder. */
  readonly own_bytes: number;
  /** The same with the runtime that it cannot do without. */
  readonly with_runtime_bytes: number;
}

/** A target that is its own command needs no runtime; otherwise the command is the runtime. */
export async function deployedSize(target: Target): Promise<DeployedSize> {
  if (target.command === target.artefact) {
    const { size } = await stat(target.artefact);
    return { own_bytes: size, with_runtime_bytes: size };
  }
  const own = await folderBytes(dirname(target.artefact));
  return { own_bytes: own, with_runtime_bytes: own + (await stat(target.command)).size };
}

/** All files below the folder, links not followed. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
