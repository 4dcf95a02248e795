/** Finds wrk: `$WRK_BIN`, then PATH. It is no npm package, so no default may need it. */
import { spawnSync } from 'node:child_process';

export interface Wrk {
  readonly binary: string;
  readonly version: string;
}

/** The wrk that runs; `null` where there is none. A `$WRK_BIN` that does not run is not passed over. */
export function findWrk(env: NodeJS.ProcessEnv = process.env): Wrk | null {
  const binary = env.WRK_BIN !== undefined && env.WRK_BIN !== '' ? env.WRK_BIN : 'wrk';
  // `wrk 4.1.0 [epoll] …`, as `debian/4.1.0-…` in some builds; it ends with 1, since no URL is named.
  const said = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  const version = /^wrk (?:debian\/)?(\d+\.\d+\.\d+)/m.exec(`${said.stdout ?? ''}${said.stderr ?? ''}`)?.[1];
  return version === undefined ? null : { binary, version };
}
