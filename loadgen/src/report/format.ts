/** Formats figures as text for readers. Rounding here does not change the stored figures. */
import type { Unit } from '../analyse/metrics.ts';
import type { Comparison, Summary } from '../analyse/statistics.ts';

const MEBIBYTE = 1024 * 1024;

export const NOT_MEASURED = 'not measured';

export function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return `${digits(value)} ms`;
    case 'us':
      return `${digits(value)} µs`;
    case 'bytes':
      return bytes(value);
    case 'events_per_s':
      return `${group(Math.round(value))} events/s`;
    case 'share':
      return percent(value);
    case 'count':
      return Number.isInteger(value) ? group(value) : digits(value);
  }
}

/** Formats the median, with minimum and maximum where they differ from it: "206 ms (190–256)". */
export function formatSummary(summary: Summary | null | undefined, unit: Unit): string {
  if (summary === null || summary === undefined) return NOT_MEASURED;
  const value = formatValue(summary.median, unit);
  const ends = [summary.min, summary.max].map((end) => formatValue(end, unit));
  if (ends.every((end) => end === value)) return value;
  return `${value} (${rangeText(summary, unit, ends)})`;
}

/** Formats a range, such as "190–256". Thousands of events/s become "174k–202k", so that a row fits a terminal. */
function rangeText({ min, max }: Summary, unit: Unit, ends: readonly string[]): string {
  if (unit === 'events_per_s' && min >= 10_000)
    return [min, max].map((end) => `${digits(end / 1000)}k`).join('–');
  // A unit that both ends share is printed once.
  const [low, high] = ends as [string, string];
  const space = high.indexOf(' ');
  const suffix = space < 0 ? '' : high.slice(space);
  const isShared = suffix !== '' && low.endsWith(suffix) && unit !== 'share';
  return isShared ? `${low.slice(0, -suffix.length)}–${high.slice(0, -suffix.length)}` : `${low}–${high}`;
}

export function formatMedian(
  summary: Summary | null | undefined,
  unit: Unit,
  missing = NOT_MEASURED,
): string {
  return summary ? formatValue(summary.median, unit) : missing;
}

/** Formats a ratio as the difference of Rust from TypeScript in percent. */
export function formatDelta(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return '—';
  const change = (ratio - 1) * 100;
  const shown = digits(Math.abs(change));
  return Number(shown) === 0 ? '0 %' : `${change > 0 ? '+' : '−'}${shown} %`;
}

/** Formats the ratio with its interval. A single pair has no interval. */
export function formatRatio(comparison: Comparison | null | undefined): string {
  if (comparison === null || comparison === undefined) return '—';
  const value = ratioDigits(comparison.ratio);
  return comparison.interval === 'none' ? value : `${value} ${formatInterval(comparison)}`;
}

export function formatInterval(comparison: Comparison): string {
  return `[${ratioDigits(comparison.low)}, ${ratioDigits(comparison.high)}]`;
}

/** Formats a share: whole percent from 10 %, one decimal from 1 %, otherwise one significant digit. */
export function percent(share: number): string {
  const value = share * 100;
  const size = Math.abs(value);
  const shown =
    size >= 10 ? value.toFixed(0) : size >= 1 || size === 0 ? value.toFixed(1) : value.toPrecision(1);
  return `${shown.replace(/\.0$/, '')} %`;
}

/** Formats a duration: seconds below two minutes, otherwise whole minutes. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${digits(seconds).replace(/\.0+$/, '')} s`;
  return `${Math.round(seconds / 60)} min`;
}

export function group(value: number): string {
  return value.toLocaleString('en-US');
}

function bytes(value: number): string {
  const size = Math.abs(value);
  if (size >= 1024 * MEBIBYTE) return `${digits(value / MEBIBYTE / 1024)} GiB`;
  return size >= MEBIBYTE ? `${digits(value / MEBIBYTE)} MiB` : `${group(Math.round(value))} B`;
}

/** Formats a number with two decimals below 10, one below 100, and none above. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return group(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : 2);
}

/** Formats a ratio. Below 0.1 it has three decimals, so that 0.04 and 0.044 differ. */
export function ratioDigits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 3);
}
