/** Finds wrk: `$WRK_BIN`, then PATH. It is not an npm package, so no default run may require it. */
import { spawnSync } from 'node:child_process';

export interface Wrk {
  readonly binary: string;
  readonly version: string;
}

/** Returns the wrk that runs; `null` when there is none. When `$WRK_BIN` is set, PATH is not searched. */
export function findWrk(env: NodeJS.ProcessEnv = process.env): Wrk | null {
  const binary = env.WRK_BIN !== undefined && env.WRK_BIN !== '' ? env.WRK_BIN : 'wrk';
  // The output is `wrk 4.1.0 [epoll] …`, with `debian/4.1.0-…` in some builds. The exit code is 1, since no URL is
  // given.
  const said = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  const version = /^wrk (?:debian\/)?(\d+\.\d+\.\d+)/m.exec(`${said.stdout ?? ''}${said.stderr ?? ''}`)?.[1];
  return version === undefined ? null : { binary, version };
}
