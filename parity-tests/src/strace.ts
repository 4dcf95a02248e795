/**
 * Wraps a server in strace, which fails, delays or kills at chosen system calls, or records them.
 *
 * strace runs as a detached grandchild (`-D`). So the child of the test is the server itself, and signals and exit
 * codes are its own. `--seccomp-bpf` stops the server only at the traced calls, but strace 6.1 then sends no signal.
 */
import { spawnSync } from 'node:child_process';
import type { ScenarioContext } from './scenario.ts';

export interface Injection {
  /** Names of system calls, separated by commas. */
  readonly calls: string;
  /** `error=EIO`, `signal=KILL` or `delay_enter=MICROSECONDS`. */
  readonly effect: string;
  /** Number of the call, `5`, `5+` or `5..9`. Each thread counts its own calls of each name. */
  readonly when: string;
  /** Only calls for this file count. */
  readonly path?: string;
}

const COMMON = ['strace', '-D', '-f', '-qq', '--signal=none'];
const ONLY_TRACED = '--seccomp-bpf';

export function injecting({ calls, effect, when, path }: Injection, output = '/dev/null'): string[] {
  const file = path === undefined ? [] : ['-P', path];
  const what = ['-e', `trace=${calls}`, '-e', `inject=${calls}:${effect}:when=${when}`];
  const filter = effect.startsWith('signal=') ? [] : [ONLY_TRACED];
  return [...COMMON, ...filter, '-o', output, '-s', '0', ...file, ...what, '--'];
}

/** Records calls with all bytes in hexadecimal, and with the paths of descriptors. */
export function recording(calls: string, output: string, longestBytes: number): string[] {
  return [
    ...COMMON,
    ONLY_TRACED,
    '-o',
    output,
    '-xx',
    '-y',
    '-s',
    String(longestBytes),
    '-e',
    `trace=${calls}`,
    '--',
  ];
}

/** Skips the scenario when this machine has no strace, or does not allow it. */
export function requireStrace(context: ScenarioContext): void {
  const { status, error, stderr } = spawnSync('strace', [...COMMON.slice(1), '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  if (status !== 0) context.skip(`strace does not run: ${(stderr ?? String(error)).trim()}`);
}
