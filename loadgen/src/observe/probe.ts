/**
 * Reads CPU time and memory of a process, and the load of the whole machine, from proc(5). Figures are `null` except on
 * Linux.
 *
 * There are two readings of a process's CPU time. That of the probe includes all threads, also ended ones; its
 * resolution is a clock tick, usually 10 ms. The scheduler's counters of the threads are exact. There, a thread that
 * ended between two samples adds nothing, and does not lower the sum.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks of proc(5) per second, which never change; `null` where the system does not report them. */
const TICKS_PER_S = Number(spawnSync('getconf', ['CLK_TCK']).stdout) || null;

export async function probe(pid: number) {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const [stat, status] = await Promise.all([read('stat'), read('status')]);
  // The process name may contain spaces and brackets, so the search for fields 14 and 15 starts at the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    /** User and system time of all threads since the start, in microseconds. */
    cpu_us: Number.isFinite(ticks) && TICKS_PER_S !== null ? (ticks / TICKS_PER_S) * 1e6 : null,
    rss_bytes: bytesOf(status, 'VmRSS'),
    peak_rss_bytes: bytesOf(status, 'VmHWM'),
  };
}

function bytesOf(status: string, name: string): number | null {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

type ThreadTimes = ReadonlyMap<string, number>;

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
export async function startCpu(pid: number): Promise<() => Promise<number | null>> {
  const ticks = (await probe(pid)).cpu_us;
  const threads = await threadTimes(pid);
  return async () => {
    const exact_ms = cpuBetween(threads, await threadTimes(pid));
    if (exact_ms !== null) return exact_ms * 1000;
    const after = (await probe(pid)).cpu_us;
    return ticks === null || after === null ? null : after - ticks;
  };
}

type MachineTicks = Awaited<ReturnType<typeof readMachine>>;

/**
 * Reads the clock ticks of the whole machine. Interrupt time is no work of other programs, since the kernel counts the
 * loopback traffic of the run there.
 */
export async function readMachine() {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  // User, nice, system, idle, iowait, irq, softirq, stolen.
  const ticks = (/^cpu\s+(.*)$/m.exec(text)?.[1] ?? '').split(/\s+/, 8).map(Number);
  if (ticks.length < 8) return null;
  const [user = 0, nice = 0, system = 0] = ticks;
  const all = ticks.reduce((sum, count) => sum + count, 0);
  return { working: user + nice + system, stolen: ticks[7]!, all };
}

/**
 * Returns the load of the machine from outside the run between two readings, as shares of all its cores. A share is
 * `null` where the system does not report it. `own_us` is the CPU time of the whole run in that period; `null`: unknown.
 */
export function machineLoad(before: MachineTicks, after: MachineTicks, own_us: number | null) {
  const all = (after?.all ?? 0) - (before?.all ?? 0);
  if (before === null || after === null || all <= 0) return { others_share: null, stolen_share: null };
  const own = own_us === null || TICKS_PER_S === null ? null : (own_us / 1e6) * TICKS_PER_S;
  return {
    others_share: own === null ? null : Math.max(0, (after.working - before.working - own) / all),
    stolen_share: (after.stolen - before.stolen) / all,
  };
}
