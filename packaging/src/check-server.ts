/** Checks a built Rust server before it is packed: the glibc that it needs, and that it runs where it can. */
import { compareVersions, neededGlibc } from './glibc.ts';
import type { Platform } from './platforms.ts';
import { run } from './run.ts';

/** Fails when the program needs a newer glibc than its platform promises, or has another version. */
export async function checkServer(program: string, platform: Platform, version: string): Promise<void> {
  const { glibc, os, cpu } = platform;
  if (glibc !== undefined) {
    const needed = await neededGlibc(program);
    if (compareVersions(needed, glibc) > 0)
      throw new Error(`${program} needs glibc ${needed}, newer than ${glibc}`);
  }
  if (os !== process.platform || cpu !== process.arch) return;
  const printed = await run(program, ['--version'], { limitMs: 10_000 });
  if (!printed.startsWith(`ingest-server ${version} `))
    throw new Error(`${program} --version prints ${printed}`);
}
