/**
 * Measures the CPU time of a process between two samples, from the scheduler's counters of its threads.
 *
 * Invariants: the result is `null` where the system has no such counters. A thread that ended between the samples adds
 * nothing, and does not lower the sum.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { ProbeProcess } from './probe.ts';

export type ThreadTimes = ReadonlyMap<string, number>;

export async function threadTimes(pid: number): Promise<ThreadTimes | null> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const times = new Map<string, number>();
  await Promise.all(
    threads.map(async (thread) => {
      // The first of three numbers is the CPU time (https://docs.kernel.org/scheduler/sched-stats.html).
      const text = await readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '');
      const ns = Number.parseInt(text, 10);
      // A missing or zero counter means that the system does not count.
      if (ns > 0) times.set(thread, ns);
    }),
  );
  return times.size === 0 ? null : times;
}

/** Returns the CPU time of all threads between two samples in milliseconds; `null` when a sample is missing. */
export function cpuBetween(before: ThreadTimes | null, after: ThreadTimes | null): number | null {
  if (before === null || after === null) return null;
  let ns = 0;
  for (const [thread, time] of after) ns += time - (before.get(thread) ?? 0);
  return ns / 1e6;
}

/**
 * Begins to measure CPU time; the returned function ends it and returns microseconds. A clock tick of the probe (10 ms)
 * is longer than a slice at a low rate may use. So ticks count only where the scheduler has no counters.
 */
export async function startCpu(pid: number, probe: ProbeProcess): Promise<() => Promise<number | null>> {
  const ticks = (await probe(pid)).cpu_us;
  const threads = await threadTimes(pid);
  return async () => {
    const exact_ms = cpuBetween(threads, await threadTimes(pid));
    if (exact_ms !== null) return exact_ms * 1000;
    const after = (await probe(pid)).cpu_us;
    return ticks === null || after === null ? null : after - ticks;
  };
}
