/**
 * Chooses the cores of server and generator.
 *
 * The generator has one busy thread, a server several. With four cores or more, the generator gets one core and the
 * server the others. With fewer cores nothing is pinned: a server on one core would be measured without its
 * parallelism.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export interface Placement {
  readonly pinned: boolean;
  /** Numbers of the cores; `null` when not pinned. */
  readonly server_cpus: readonly number[] | null;
  readonly generator_cpus: readonly number[] | null;
  readonly reason: string;
}

const ENOUGH_CORES = 4;

export function choosePlacement(): Placement {
  const cpus = allowedCpus();
  if (cpus === null) return unpinned('this system does not say which cores may be used');
  if (cpus.length < ENOUGH_CORES) {
    const few = `with ${cpus.length} cores, fewer than ${ENOUGH_CORES}, server and generator share all of them`;
    return unpinned(`${few}, since a pinned server would lose its parallelism`);
  }
  if (spawnSync('taskset', ['--version']).status !== 0) return unpinned('taskset is not installed');
  const [server, generator] = [cpus.slice(0, -1), cpus.slice(-1)];
  const reason = `Pinned: generator on core ${generator.join(',')}, server on cores ${server.join(',')}.`;
  return { pinned: true, server_cpus: server, generator_cpus: generator, reason };
}

function unpinned(why: string): Placement {
  return { pinned: false, server_cpus: null, generator_cpus: null, reason: `Not pinned: ${why}.` };
}

/** Returns the words that pin a command when they precede it; none when `cpus` is `null`. */
export function pinningCommand(cpus: readonly number[] | null): readonly string[] {
  return cpus === null ? [] : ['taskset', '-c', cpus.join(',')];
}

/** Returns the number of cores that the generator may run on: the pinned ones, or all cores of this process. */
export function generatorCores({ generator_cpus }: Placement): number {
  return generator_cpus?.length ?? availableParallelism();
}

/** Returns the cores that this process may run on, from proc(5); `null` when the file does not exist. */
function allowedCpus(): number[] | null {
  if (!existsSync('/proc/self/status')) return null;
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return list === undefined ? null : parseCpuList(list);
}

export function parseCpuList(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i);
  });
}
