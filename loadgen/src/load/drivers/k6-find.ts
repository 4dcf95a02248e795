/**
 * Finds k6: `$K6_BIN`, then PATH, then the folder that `pnpm k6:install` fills.
 *
 * k6 is not an npm package and takes minutes to build, so no default run may require it.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** Version that `pnpm k6:install` builds: the last one of k6's 1.x line. */
export const K6_VERSION = '1.8.1';

/** Folder for k6 in the checkout; git ignores it. */
export const K6_FOLDER = `${ROOT}.bench/bin`;

const NAME = process.platform === 'win32' ? 'k6.exe' : 'k6';

export const K6_BINARY = join(K6_FOLDER, NAME);

export interface K6 {
  readonly binary: string;
  readonly version: string;
}

/** Returns the first k6 that runs; `null` when there is none. When `$K6_BIN` is set, no other k6 is tried. */
export function findK6(env: NodeJS.ProcessEnv = process.env, folder: string = K6_FOLDER): K6 | null {
  if (env.K6_BIN !== undefined && env.K6_BIN !== '') return askVersion(env.K6_BIN);
  const folders = [...(env.PATH ?? '').split(delimiter).filter((path) => path !== ''), folder];
  for (const path of folders) {
    const found = askVersion(join(path, NAME));
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns the k6 with that path; `null` when it does not run. Its output is such as `k6 v1.8.1 (go1.26.8,
 * linux/amd64)`. PATH is not searched.
 */
export function askVersion(binary: string): K6 | null {
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    return null;
  }
  const said = spawnSync(binary, ['version'], { encoding: 'utf8', timeout: 30_000 });
  const version = /^k6(?:\.exe)? v(\S+)/m.exec(said.stdout ?? '')?.[1];
  return version === undefined ? null : { binary, version };
}
