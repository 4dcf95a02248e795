/**
 * DATA: the figures of the binary suite, each with unit and label, in the order of every table.
 *
 * Invariants: a figure keeps one value for each round or slice. A figure that was not measured is absent.
 */

import type { Unit } from '../analyse/metrics.ts';
import { ValuesByKey } from '../result/suite-rows.ts';

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

export class FigureValues extends ValuesByKey<FigureKey> {
  constructor() {
    super(Object.keys(FIGURES) as FigureKey[]);
  }

  all(): Figures {
    return this.lists();
  }
}
