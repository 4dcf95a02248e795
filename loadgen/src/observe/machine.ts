/**
 * The load of the whole machine over a span of time, from proc_stat(5): work of other programs, and time that the
 * hypervisor gave to others.
 *
 * Interrupts are left out, since the kernel books the loopback traffic of the run there. Figures are `null` except on
 * Linux.
 */
import { readFile } from 'node:fs/promises';
import type { MachineLoad } from './sample.ts';

/** In clock ticks since the boot, over all cores. */
export interface MachineTicks {
  readonly working: number;
  readonly stolen: number;
  readonly all: number;
}

export async function readMachine(): Promise<MachineTicks | null> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => null);
  const fields = text === null ? null : /^cpu\s+(.*)$/m.exec(text)?.[1]?.split(/\s+/).map(Number);
  if (fields === null || fields === undefined || fields.length < 8) return null;
  const [user, nice, system, idle, iowait, irq, softirq, stolen] = fields as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const working = user + nice + system;
  return { working, stolen, all: working + idle + iowait + irq + softirq + stolen };
}

/** `own_us`: CPU time of everything that belongs to the run, over the same span. */
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
