/** CPU time between two samples of a server, as a share of one core. */
import type { Timeline } from './sample.ts';

/**
 * Returns one share per sample; 1 is a whole core. It is `null` for the first sample, and where the system reports no
 * CPU time.
 */
export function cpuShares({ t_ms, cpu_us }: Pick<Timeline, 't_ms' | 'cpu_us'>): (number | null)[] {
  return cpu_us.map((now, i) => {
    const before = i === 0 ? null : cpu_us[i - 1]!;
    const span_us = i === 0 ? 0 : (t_ms[i]! - t_ms[i - 1]!) * 1000;
    return now === null || before === null || span_us <= 0 ? null : (now - before) / span_us;
  });
}
