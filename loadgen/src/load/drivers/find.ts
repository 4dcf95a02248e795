/** Finds k6 and wrk. They are no npm packages, so no default run may require them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** Folder in which `pnpm k6:install` puts k6; git ignores it. */
const K6_FOLDER = `${ROOT}.bench/bin`;

export interface Found {
  readonly binary: string;
  readonly version: string;
}

/**
 * Returns `$K6_BIN`, else the k6 of PATH, else that of the folder; `null` when none runs. When `$K6_BIN` is set, no
 * other k6 is tried.
 */
export function findK6(env: NodeJS.ProcessEnv = process.env, folder: string = K6_FOLDER): Found | null {
  // The output is such as `k6 v1.8.1 (go1.26.8, linux/amd64)`.
  const ask = (binary: string) => versionOf(binary, 'version', /^k6(?:\.exe)? v(\S+)/m, env);
  return env.K6_BIN ? ask(env.K6_BIN) : (ask('k6') ?? ask(join(folder, 'k6')));
}

/** Returns `$WRK_BIN`, else the wrk of PATH; `null` when it does not run. */
export function findWrk(env: NodeJS.ProcessEnv = process.env): Found | null {
  // The output is `wrk 4.1.0 [epoll] …`, with `debian/4.1.0-…` in some builds. The exit code is 1, since no URL is
  // given.
  return versionOf(env.WRK_BIN || 'wrk', '--version', /^wrk (?:debian\/)?(\d+\.\d+\.\d+)/m, env);
}

function versionOf(binary: string, flag: string, pattern: RegExp, env: NodeJS.ProcessEnv): Found | null {
  const { stdout, stderr } = spawnSync(binary, [flag], { encoding: 'utf8', timeout: 30_000, env });
  const version = pattern.exec(`${stdout ?? ''}${stderr ?? ''}`)?.[1];
  return version === undefined ? null : { binary, version };
}
