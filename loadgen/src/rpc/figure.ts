/**
 * DATA: the figures of typed calls, each with unit and label.
 *
 * Invariants: a figure is one number for all slices of a case. A figure that was not measured is absent.
 */
import type { Unit } from '../analyse/metrics.ts';

interface Known {
  readonly unit: Unit | 'calls_per_s';
  readonly label: string;
}

export const FIGURES = {
  calls: { unit: 'count', label: 'Calls' },
  samples: { unit: 'count', label: 'Samples' },
  calls_per_s: { unit: 'calls_per_s', label: 'Round trips/s' },
  margin: { unit: 'share', label: 'Margin' },
  mean_us: { unit: 'us', label: 'Mean' },
  p50_us: { unit: 'us', label: 'p50' },
  p95_us: { unit: 'us', label: 'p95' },
  p99_us: { unit: 'us', label: 'p99' },
  max_us: { unit: 'us', label: 'Maximum' },
  lib_us: { unit: 'us', label: 'Library' },
  lib_sd_us: { unit: 'us', label: 'Library sd' },
  lib_p50_us: { unit: 'us', label: 'Library p50' },
  lib_p95_us: { unit: 'us', label: 'Library p95' },
  sent_bytes: { unit: 'bytes', label: 'Sent' },
  received_bytes: { unit: 'bytes', label: 'Received' },
  server_cpu_us: { unit: 'us', label: 'Server CPU' },
  client_cpu_us: { unit: 'us', label: 'Client CPU' },
  rss_before_bytes: { unit: 'bytes', label: 'RSS before' },
  rss_peak_bytes: { unit: 'bytes', label: 'RSS at its highest' },
  rss_after_bytes: { unit: 'bytes', label: 'RSS 10 s after' },
} as const satisfies Record<string, Known>;

export type FigureKey = keyof typeof FIGURES;
export type Figures = Readonly<Partial<Record<FigureKey, number>>>;

/** Removes the figures that were not measured. */
export function figuresOf(found: Readonly<Partial<Record<FigureKey, number | null>>>): Figures {
  const entries = (Object.keys(FIGURES) as FigureKey[]).flatMap((key) => {
    const value = found[key];
    if (value === null || value === undefined) return [];
    if (!Number.isFinite(value)) throw new RangeError(`${key} is ${value}`);
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}
