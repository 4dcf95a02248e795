/**
 * CPU time of a process between two samples in nanoseconds, from the scheduler's counters of its threads.
 *
 * The probe reads clock ticks, which are longer than a burst. Invariants: it is `null` where the system does not
 * count. A thread that ended loses its time since the first sample, and does not lower the sum.
 */
import { readdir, readFile } from 'node:fs/promises';

/** Nanoseconds on a core, by thread. */
export type ThreadTimes = ReadonlyMap<string, number>;

export async function threadTimes(pid: number): Promise<ThreadTimes | null> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const times = new Map<string, number>();
  await Promise.all(
    threads.map(async (thread) => {
      // The first of three numbers (https://docs.kernel.org/scheduler/sched-stats.html).
      const text = await readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '');
      const ns = Number.parseInt(text, 10);
      // What has run at all, and says nothing, is not counted.
      if (ns > 0) times.set(thread, ns);
    }),
  );
  return times.size === 0 ? null : times;
}

/** Milliseconds on all cores. */
export function cpuBetween(before: ThreadTimes | null, after: ThreadTimes | null): number | null {
  if (before === null || after === null) return null;
  let ns = 0;
  for (const [thread, time] of after) ns += time - (before.get(thread) ?? 0);
  return ns / 1e6;
}
