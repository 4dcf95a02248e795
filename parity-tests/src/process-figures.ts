/**
 * Memory and processor time of a server's own process, from `/proc`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ScenarioContext } from './scenario.ts';

/** Skips a scenario on a machine that has no `/proc`. */
export function requireProc(context: ScenarioContext): void {
  if (!existsSync('/proc/self/status')) context.skip('memory and processor time are in /proc');
}

/** A line of `/proc/PID/status` in MiB: `VmRSS` is the memory now, `VmHWM` the most since the start or the last reset. */
export function memoryMb(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

/** Makes `VmHWM` begin anew at the memory of now (proc_pid_clear_refs(5)). */
export function resetMostMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** User and system time of a process, in steps of 10 ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
