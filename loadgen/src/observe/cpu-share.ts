/** CPU time between two samples of a server, as a share of one core. */
import type { Timeline } from './sample.ts';

/**
 * One value a look, 1 being a whole core; `null` for the first, and where the system said nothing.
 * CPU time of a process only grows, so its growth over the interval is the share.
 */
export function cpuShares({ t_ms, cpu_us }: Pick<Timeline, 't_ms' | 'cpu_us'>): (number | null)[] {
  return cpu_us.map((now, i) => {
    const before = i === 0 ? null : cpu_us[i - 1]!;
    const span_us = i === 0 ? 0 : (t_ms[i]! - t_ms[i - 1]!) * 1000;
    return now === null || before === null || span_us <= 0 ? null : (now - before) / span_us;
  });
}
