/**
 * Runs the checker again in a network and a list of mounts of its own, where the machine allows that.
 *
 * There it may cut connections and fill disks. Everything that it sets up ends with its processes, whatever happens.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Set in the program that runs isolated. */
const ISOLATED = 'TWIN_CLUSTER_ISOLATED';
const FLAGS = ['--net', '--mount', '--propagation', 'private'];
/** For a user who is not root, and becomes it inside. */
const AS_ROOT = ['--user', '--map-root-user'];
const PROBE = 'mount -t tmpfs tmpfs /run && ip link add name probe type bridge && ip netns add probe';

/** Whether this process runs isolated. */
export function isIsolated(): boolean {
  return process.env[ISOLATED] === '1';
}

/** Returns the command prefix that isolates a program, or `undefined` where the machine does not allow it. */
export function isolatingPrefix(): readonly string[] | undefined {
  for (const more of [[], AS_ROOT]) {
    const flags = [...more, ...FLAGS];
    if (spawnSync('unshare', [...flags, 'sh', '-c', PROBE], { stdio: 'ignore' }).status === 0)
      return ['unshare', ...flags];
  }
  return undefined;
}

/** Runs this program isolated, with the same arguments; returns its exit code. */
export async function runIsolated(prefix: readonly string[]): Promise<number> {
  const command = [...prefix, process.execPath, ...process.argv.slice(1)];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, [ISOLATED]: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  process.once('exit', () => child.kill('SIGKILL'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
