/**
 * Reads CPU time, memory and open files of a process, from proc(5).
 *
 * CPU time includes all threads, also ended ones. Its resolution is a clock tick, usually 10 ms. Figures are `null`
 * except on Linux.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

export interface Probe {
  /** User and system time of all threads since the start, in microseconds. */
  readonly cpu_us: number | null;
  readonly rss_bytes: number | null;
  readonly peak_rss_bytes: number | null;
}

export type ProbeProcess = (pid: number) => Promise<Probe>;

export function createProbe(): ProbeProcess {
  const ticksPerSecond = readTicksPerSecond();
  return async (pid) => {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    const [stat, status] = await Promise.all([read('stat'), read('status')]);
    // The process name may contain spaces and brackets, so the search for fields 14 and 15 starts at the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      cpu_us: Number.isFinite(ticks) && ticksPerSecond !== null ? (ticks / ticksPerSecond) * 1e6 : null,
      rss_bytes: bytesOf(status, 'VmRSS'),
      peak_rss_bytes: bytesOf(status, 'VmHWM'),
    };
  };
}

function bytesOf(status: string, name: string): number | null {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

export async function countFileDescriptors(pid: number): Promise<number | null> {
  const entries = await readdir(`/proc/${pid}/fd`).catch(() => null);
  return entries?.length ?? null;
}

let ticks: number | null | undefined;

/** Returns the clock ticks of proc(5) per second, which never change; `null` where the system does not report them. */
export function readTicksPerSecond(): number | null {
  if (ticks === undefined) ticks = Number(spawnSync('getconf', ['CLK_TCK']).stdout) || null;
  return ticks;
}
