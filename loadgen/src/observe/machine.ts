/**
 * Computes the load of the whole machine over a period, from proc_stat(5). Figures are `null` except on Linux.
 *
 * Interrupt time is no work of other programs, since the kernel counts the loopback traffic of the run there.
 */
import { readFile } from 'node:fs/promises';
import { TICKS_PER_S } from './probe.ts';
import type { MachineLoad } from './sample.ts';

export interface MachineTicks {
  readonly working: number;
  readonly stolen: number;
  readonly all: number;
}

export async function readMachine(): Promise<MachineTicks | null> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  // User, nice, system, idle, iowait, irq, softirq, stolen.
  const ticks = (/^cpu\s+(.*)$/m.exec(text)?.[1] ?? '').split(/\s+/, 8).map(Number);
  if (ticks.length < 8) return null;
  const [user = 0, nice = 0, system = 0] = ticks;
  const all = ticks.reduce((sum, count) => sum + count, 0);
  return { working: user + nice + system, stolen: ticks[7]!, all };
}

/**
 * Returns the load of the machine between two readings. `own_us` is the CPU time of the whole run in that period;
 * `null`: unknown.
 */
export function machineLoad(
  before: MachineTicks | null,
  after: MachineTicks | null,
  own_us: number | null,
): MachineLoad {
  const all = (after?.all ?? 0) - (before?.all ?? 0);
  if (before === null || after === null || all <= 0) return { others_share: null, stolen_share: null };
  const own = own_us === null || TICKS_PER_S === null ? null : (own_us / 1e6) * TICKS_PER_S;
  return {
    others_share: own === null ? null : Math.max(0, (after.working - before.working - own) / all),
    stolen_share: (after.stolen - before.stolen) / all,
  };
}
