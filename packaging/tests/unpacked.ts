/** Extracts a tarball of `dist/` into a folder that is removed after `work`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUT } from '../src/npm-packages.ts';
import { run } from '../src/run.ts';

export async function unpacked(file: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-unpacked-'));
  try {
    await run('tar', ['-xzf', join(OUT, file), '-C', folder]);
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
