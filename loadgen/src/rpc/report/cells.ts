/** Cells of the tables of typed calls. Invariant: a value that was not measured is a dash. */

import { group, percent, ratioDigits } from '../../report/format.ts';
import type { FigureKey, Figures } from '../figure.ts';

export const NONE = '—';

type Cell = (figures: Figures | undefined) => string;

/** Rounds to three significant digits, but keeps all integer digits. */
function digits(value: number): string {
  if (value >= 100) return group(Math.round(value));
  return value.toFixed(value >= 10 ? 1 : 2);
}

const of =
  (key: FigureKey, text: (value: number) => string): Cell =>
  (figures) => {
    const value = figures?.[key];
    return value === undefined ? NONE : text(value);
  };

export const rate = of('calls_per_s', digits);

/** "8,123 ±1.2%": round trips a second, and the margin of the mean. */
export const rateWithMargin: Cell = (figures) => {
  const margin = figures?.margin;
  return margin === undefined ? rate(figures) : `${rate(figures)} ±${(margin * 100).toFixed(1)}%`;
};

export const count = (key: 'calls' | 'samples'): Cell => of(key, group);

export const microseconds = (key: FigureKey): Cell => of(key, digits);

export const milliseconds = (key: FigureKey, decimals = 2): Cell =>
  of(key, (us) => (us / 1000).toFixed(decimals));

export const mebibytes = (key: FigureKey): Cell => of(key, (bytes) => (bytes / 1024 / 1024).toFixed(1));

/** "12.3 ±4.5": mean and standard deviation of the library's time, in microseconds. */
export const library: Cell = (figures) => {
  const sd = figures?.lib_sd_us;
  const centre = microseconds('lib_us')(figures);
  return sd === undefined ? centre : `${centre} ±${digits(sd)}`;
};

/** The library's time as a share of the round trip. */
export const share: Cell = (figures) =>
  figures?.lib_us === undefined || figures.mean_us === undefined
    ? NONE
    : percent(figures.lib_us / figures.mean_us);

export const bytes: Cell = (figures) =>
  figures?.sent_bytes === undefined
    ? NONE
    : `${group(figures.sent_bytes)} / ${group(figures.received_bytes ?? 0)}`;

/** Returns the ratio of a figure in two rows. */
export function ratioCell(key: FigureKey, top: Figures | undefined, bottom: Figures | undefined): string {
  const [a, b] = [top?.[key], bottom?.[key]];
  return a === undefined || b === undefined || b === 0 ? NONE : ratioDigits(a / b);
}
