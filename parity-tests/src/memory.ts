/** The memory of a server, from `/proc`. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 250;

/** A line of `/proc/PID/status` in megabytes: `VmRSS` is the memory now, `VmHWM` the most so far. */
export function memoryMb(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  );
  return Number(kilobytes?.[1]) / 1024;
}

/** Resolves once the memory is no more than this, or after `deadlineMs`, with what it is then. */
export async function memoryWithin(pid: number, mostMb: number, deadlineMs: number): Promise<number> {
  const end = performance.now() + deadlineMs;
  let mb = memoryMb(pid, 'VmRSS');
  while (mb > mostMb && performance.now() < end) {
    await pause(EVERY_MS);
    mb = memoryMb(pid, 'VmRSS');
  }
  return mb;
}
