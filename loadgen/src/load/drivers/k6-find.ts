/**
 * Finds k6: `$K6_BIN`, then PATH, then the folder that `pnpm k6:install` fills.
 *
 * k6 is no npm package and takes minutes to build, so no default may need it.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** What `pnpm k6:install` builds; the last of k6's 1.x line. */
export const K6_VERSION = '1.8.1';

/** In the checkout, where git ignores it. */
export const K6_FOLDER = `${ROOT}.bench/bin`;

const NAME = process.platform === 'win32' ? 'k6.exe' : 'k6';

export const K6_BINARY = join(K6_FOLDER, NAME);

export interface K6 {
  readonly binary: string;
  readonly version: string;
}

/** The first k6 that runs; `null` where there is none. A `$K6_BIN` that does not run is not passed over. */
export function findK6(env: NodeJS.ProcessEnv = process.env, folder: string = K6_FOLDER): K6 | null {
  if (env.K6_BIN !== undefined && env.K6_BIN !== '') return askVersion(env.K6_BIN);
  const folders = [...(env.PATH ?? '').split(delimiter).filter((path) => path !== ''), folder];
  for (const path of folders) {
    const found = askVersion(join(path, NAME));
    if (found !== null) return found;
  }
  return null;
}

/** `k6 v1.8.1 (go1.26.8, linux/amd64)`; a name without a folder is not looked up. */
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
