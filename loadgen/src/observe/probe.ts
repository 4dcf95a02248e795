/**
 * Reads CPU time, memory and open files of a process, from proc(5).
 *
 * CPU time includes all threads, also ended ones. Its resolution is a clock tick, usually 10 ms. Figures are `null`
 * except on Linux.
 */
import { execFileSync } from 'node:child_process';
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
    const [stat, status] = await Promise.all([read(`/proc/${pid}/stat`), read(`/proc/${pid}/status`)]);
    return {
      cpu_us: stat === null || ticksPerSecond === null ? null : cpuMicroseconds(stat, ticksPerSecond),
      rss_bytes: status === null ? null : kibibytes(status, 'VmRSS'),
      peak_rss_bytes: status === null ? null : kibibytes(status, 'VmHWM'),
    };
  };
}

/**
 * Returns the sum of fields 14 and 15 of proc_pid_stat(5) in microseconds. The process name before them may contain
 * spaces and brackets, so the search starts at the last bracket.
 */
function cpuMicroseconds(stat: string, ticksPerSecond: number): number | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? (ticks / ticksPerSecond) * 1e6 : null;
}

export async function countFileDescriptors(pid: number): Promise<number | null> {
  const entries = await readdir(`/proc/${pid}/fd`).catch(() => null);
  return entries === null ? null : entries.length;
}

let ticks: number | null | undefined;

/** Returns the clock ticks of proc(5) per second, which never change; `null` where the system does not report them. */
export function readTicksPerSecond(): number | null {
  if (ticks !== undefined) return ticks;
  try {
    ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || null;
  } catch {
    ticks = null;
  }
  return ticks;
}

function kibibytes(status: string, name: string): number | null {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return found === undefined ? null : Number(found) * 1024;
}

async function read(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
