/**
 * Figures as text: the only place where anything is rounded, for readers alone.
 */
import type { Unit } from '../metrics.ts';
import type { Ratio, Summary } from '../statistics.ts';

const MEBIBYTE = 1024 * 1024;

export function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return `${digits(value)} ms`;
    case 'us':
      return `${digits(value)} µs`;
    case 'bytes':
      return value >= MEBIBYTE ? `${digits(value / MEBIBYTE)} MiB` : `${group(Math.round(value))} B`;
    case 'events_per_s':
      return `${group(Math.round(value))} events/s`;
    case 'count':
      return group(value);
  }
}

/** Median, and the spread where there is more than one value. */
export function formatSummary(summary: Summary | null | undefined, unit: Unit): string {
  if (summary === null || summary === undefined) return 'not measured';
  const value = formatValue(summary.median, unit);
  return summary.samples < 2 || summary.spread === 0 ? value : `${value} ±${percent(summary.spread / 2)}`;
}

/** What Rust has more or less than TypeScript, as the seed's table says it. */
export function formatDelta(ratio: Ratio | null | undefined): string {
  if (ratio === null || ratio === undefined) return '—';
  const change = (ratio.ratio - 1) * 100;
  return `${change > 0 ? '+' : change < 0 ? '−' : ''}${digits(Math.abs(change))} %`;
}

/** The ratio with its interval; no interval of a single pair. */
export function formatRatio(ratio: Ratio | null | undefined): string {
  if (ratio === null || ratio === undefined) return '—';
  const value = `${digits(ratio.ratio)}×`;
  return ratio.pairs.length < 2 ? value : `${value} [${digits(ratio.low)} – ${digits(ratio.high)}]`;
}

export function percent(share: number): string {
  return `${digits(share * 100)} %`;
}

/** Three significant digits, or all whole ones. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return group(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : 2);
}

function group(value: number): string {
  return value.toLocaleString('en-US');
}
