/**
 * Finds or builds the programs of peers.
 *
 * Programs in Go are built once with `go install`, into a folder that git ignores. Redis comes from the system.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { Found, Missing } from './peer.ts';

/** Builds a Go module of this version, unless that was done before. */
export async function goProgram(module: string, program: string, version: string): Promise<Found | Missing> {
  const folder = join(ROOT, '.bench/bin', `${program}-${version}`);
  const path = join(folder, program);
  if (!existsSync(path)) {
    if (spawnSync('go', ['version']).status !== 0)
      return { missing: 'Go builds it, and Go is not installed' };
    process.stderr.write(`building ${program} ${version} with Go\n`);
    const built = spawnSync('go', ['install', `${module}@v${version}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, GOBIN: folder },
      encoding: 'utf8',
    });
    if (built.status !== 0)
      return { missing: `go install failed: ${built.stderr.trim().split('\n').at(-1)}` };
  }
  return { command: [path], version };
}

/** Finds a program of the system. `version` extracts its version from the output of `--version`. */
export async function systemProgram(
  program: string,
  version: RegExp,
  advice: string,
): Promise<Found | Missing> {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const found = status === 0 ? version.exec(stdout)?.[1] : undefined;
  return found === undefined
    ? { missing: `${basename(program)} is not installed: ${advice}` }
    : { command: [program], version: found };
}
