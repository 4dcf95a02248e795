/**
 * DATA: what is measured of binary transfer, with unit and label, in the order of every table.
 *
 * Invariant: a figure keeps one value of each round or slice, and one that was not measured is not there.
 */
import type { Unit } from '../analyse/metrics.ts';

interface Known {
  readonly unit: Unit | 'mb_per_s';
  readonly label: string;
}

export const FIGURES = {
  took_ms: { unit: 'ms', label: 'Request to ArrayBuffer' },
  block_ms: { unit: 'ms', label: 'Longest block' },
  received_bytes: { unit: 'bytes', label: 'Bytes on the wire' },
  encode_ms: { unit: 'ms', label: 'Server encodes' },
  requests: { unit: 'count', label: 'Requests' },
  p50_ms: { unit: 'ms', label: 'p50' },
  p99_ms: { unit: 'ms', label: 'p99' },
  max_ms: { unit: 'ms', label: 'Maximum' },
  mb_per_s: { unit: 'mb_per_s', label: 'Bodies' },
} as const satisfies Record<string, Known>;

export type FigureKey = keyof typeof FIGURES;
export type Figures = Readonly<Partial<Record<FigureKey, readonly number[]>>>;

/** Values by key as they come. */
export class FigureValues {
  readonly #values = new Map<FigureKey, number[]>();

  /** `null` was not measured, and leaves no value. */
  add(found: Readonly<Partial<Record<FigureKey, number | null>>>): void {
    for (const [key, value] of Object.entries(found) as [FigureKey, number | null][]) {
      if (value === null) continue;
      if (!Number.isFinite(value)) throw new RangeError(`${key} is ${value}`);
      this.#values.set(key, [...(this.#values.get(key) ?? []), value]);
    }
  }

  all(): Figures {
    const keys = (Object.keys(FIGURES) as FigureKey[]).filter((key) => this.#values.has(key));
    return Object.fromEntries(keys.map((key) => [key, this.#values.get(key)!]));
  }
}

export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of a sample: the squares are divided by one less than there are values. `null` of fewer than two. */
export function deviation(values: readonly number[]): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
