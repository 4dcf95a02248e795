/** Reads memory and processor time of a server's own process from `/proc`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ScenarioContext } from './scenario.ts';

/** Skips a scenario on a machine without `/proc`. */
export function requireProc(context: ScenarioContext): void {
  if (!existsSync('/proc/self/status')) context.skip('memory and processor time are in /proc');
}

/**
 * Returns a line of `/proc/PID/status` in MiB: `VmRSS` is the current memory, `VmHWM` the peak since the start or the
 * last reset.
 */
export function memoryMb(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

const EVERY_MS = 250;

/** Resolves once the memory is at most this, or after `deadlineMs`; returns the current memory. */
export async function memoryWithin(pid: number, mostMb: number, deadlineMs: number): Promise<number> {
  const end = performance.now() + deadlineMs;
  let mb = memoryMb(pid, 'VmRSS');
  while (mb > mostMb && performance.now() < end) {
    await pause(EVERY_MS);
    mb = memoryMb(pid, 'VmRSS');
  }
  return mb;
}

/** Resets `VmHWM` to the current memory (proc_pid_clear_refs(5)). */
export function resetMostMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns user and system time of a process, in steps of 10 ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
