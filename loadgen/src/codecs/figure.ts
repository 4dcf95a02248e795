/**
 * DATA: the figures of the codecs suite, each with unit and label, in the order of every table.
 *
 * Invariants: a figure keeps one value for each slice or process. A figure that was not measured is absent.
 */

import type { Unit } from '../analyse/metrics.ts';
import { ValuesByKey } from '../result/suite-rows.ts';

interface Known {
  readonly unit: Unit | 'mb_per_s';
  readonly label: string;
}

export const FIGURES = {
  events: { unit: 'count', label: 'Events' },
  bytes: { unit: 'bytes', label: 'Bytes' },
  json_bytes: { unit: 'bytes', label: 'Bytes as JSON' },
  mean_us: { unit: 'us', label: 'Mean' },
  p50_us: { unit: 'us', label: 'p50' },
  p95_us: { unit: 'us', label: 'p95' },
  p99_us: { unit: 'us', label: 'p99' },
  p50_ms: { unit: 'ms', label: 'p50' },
  p95_ms: { unit: 'ms', label: 'p95' },
  p99_ms: { unit: 'ms', label: 'p99' },
  events_per_s: { unit: 'events_per_s', label: 'Events/s' },
  mb_per_s: { unit: 'mb_per_s', label: 'MB/s' },
  server_cpu_us_per_event: { unit: 'us', label: 'Server CPU per event' },
  client_cpu_us_per_event: { unit: 'us', label: 'Client CPU per event' },
  decode_us_per_event: { unit: 'us', label: 'Client reads an event' },
  rss_bytes: { unit: 'bytes', label: 'Server RSS' },
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
