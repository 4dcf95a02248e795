/**
 * Computes the load of the whole machine over a period, from proc_stat(5): work of other programs, and time that the
 * hypervisor gave to other guests.
 *
 * Interrupt time is left out, since the kernel counts the loopback traffic of the run there. Figures are `null` except
 * on Linux.
 */
import { readFile } from 'node:fs/promises';
import type { MachineLoad } from './sample.ts';

export interface MachineTicks {
  readonly working: number;
  readonly stolen: number;
  readonly all: number;
}

export async function readMachine(): Promise<MachineTicks | null> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => null);
  const fields = text === null ? null : /^cpu\s+(.*)$/m.exec(text)?.[1]?.split(/\s+/).map(Number);
  if (fields === null || fields === undefined || fields.length < 8) return null;
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] = fields;
  const working = user + nice + system;
  return { working, stolen, all: working + idle + iowait + irq + softirq + stolen };
}

/** Returns the load of the machine between two readings. `own_us` is the CPU time of the whole run in that period. */
export function machineLoad(
  before: MachineTicks | null,
  after: MachineTicks | null,
  own_us: number | null,
  ticksPerSecond: number | null,
): MachineLoad {
  if (before === null || after === null || after.all <= before.all)
    return { others_share: null, stolen_share: null };
  const all = after.all - before.all;
  const stolen_share = (after.stolen - before.stolen) / all;
  if (own_us === null || ticksPerSecond === null) return { others_share: null, stolen_share };
  const own = (own_us / 1e6) * ticksPerSecond;
  return { others_share: Math.max(0, (after.working - before.working - own) / all), stolen_share };
}
