/** Formats figures as text for readers. Rounding here does not change the stored figures. */
import type { Unit } from '../analyse/metrics.ts';
import type { Comparison, Summary } from '../analyse/statistics.ts';

export const NOT_MEASURED = 'not measured';
const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;

/** Returns the digits of a value, and a suffix with the unit. */
function parts(value: number, unit: Unit): readonly [figure: string, suffix: string] {
  if (unit === 'bytes') return bytes(value);
  if (unit === 'share') return [percent(value), ''];
  if (unit === 'events_per_s') return [group(Math.round(value)), ' events/s'];
  if (unit === 'count') return [Number.isInteger(value) ? group(value) : digits(value), ''];
  return [digits(value), unit === 'us' ? ' µs' : ' ms'];
}

export function formatValue(value: number, unit: Unit): string {
  return parts(value, unit).join('');
}

/** Formats the median, with minimum and maximum where they differ from it: "206 ms (190–256)". */
export function formatSummary(summary: Summary | null | undefined, unit: Unit): string {
  if (!summary) return NOT_MEASURED;
  const { median, min, max } = summary;
  const value = formatValue(median, unit);
  if ([min, max].every((end) => formatValue(end, unit) === value)) return value;
  // Thousands of events/s become "174k–202k", so that a row fits a terminal.
  if (unit === 'events_per_s' && min >= 10_000)
    return `${value} (${digits(min / 1000)}k–${digits(max / 1000)}k)`;
  const [[low, lowUnit], [high, highUnit]] = [parts(min, unit), parts(max, unit)];
  // A unit that both ends share stands with the median alone.
  return `${value} (${lowUnit === highUnit ? `${low}–${high}` : `${low}${lowUnit}–${high}${highUnit}`})`;
}

export function formatMedian(summary: Summary | null | undefined, unit: Unit): string {
  return summary ? formatValue(summary.median, unit) : NOT_MEASURED;
}

/** Formats a ratio as the difference of Rust from TypeScript in percent. */
export function formatDelta(comparison: Comparison | null): string {
  if (comparison === null) return '—';
  const change = percent(comparison.ratio - 1);
  return comparison.ratio > 1 ? `+${change}` : change.replace('-', '−');
}

/** Formats the ratio with its interval. A single pair and an exact value have no interval. */
export function formatRatio(comparison: Comparison | null | undefined): string {
  if (!comparison) return '—';
  const value = ratioDigits(comparison.ratio);
  return comparison.interval === 'none' ? value : `${value} ${formatInterval(comparison)}`;
}

export function formatInterval({ low, high }: Comparison): string {
  return `[${ratioDigits(low)}, ${ratioDigits(high)}]`;
}

/** Formats a share: whole percent from 10 %, one decimal from 1 %, otherwise one significant digit. */
export function percent(share: number): string {
  const value = share * 100;
  const size = Math.abs(value);
  const shown = size > 0 && size < 1 ? value.toPrecision(1) : value.toFixed(size >= 10 ? 0 : 1);
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

function bytes(value: number): readonly [string, string] {
  const size = Math.abs(value);
  if (size >= GIBIBYTE) return [digits(value / GIBIBYTE), ' GiB'];
  return size >= MEBIBYTE ? [digits(value / MEBIBYTE), ' MiB'] : [group(Math.round(value)), ' B'];
}

/** Formats a number with two decimals below 10, one below 100, and none above. */
function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? group(Math.round(value)) : value.toFixed(size >= 10 ? 1 : 2);
}

/** Formats a ratio. Below 0.1 it has three decimals, so that 0.04 and 0.044 differ. */
export function ratioDigits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 3);
}
