/**
 * DATA: what is compared, in the order of the table, with where each figure comes from and its unit.
 *
 * Summaries, ratios, tables and the schema's list of metrics all follow this one.
 */
import type { Sample } from './sample.ts';
import type { DeployedSize } from './size.ts';

export type Unit = 'ms' | 'us' | 'bytes' | 'events_per_s' | 'count';

/** Everything that one server's metrics are taken from. */
export interface Source {
  readonly starts_ms: readonly number[];
  readonly samples: readonly Sample[];
  readonly deployed: DeployedSize;
}

export interface Metric {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  /** One value a round or start, or a single one; `null` where it could not be measured. */
  values(source: Source): readonly (number | null)[];
}

export const METRICS: readonly Metric[] = [
  { key: 'start_ms', label: 'Start (spawn to ready)', unit: 'ms', values: (from) => from.starts_ms },
  perRound('idle_rss_bytes', 'Idle RSS', 'bytes', (sample) => sample.idle_rss_bytes),
  perRound('peak_rss_bytes', 'Peak RSS (under load)', 'bytes', (sample) => sample.peak_rss_bytes),
  perRound('throughput_events_per_s', 'Throughput', 'events_per_s', throughput),
  perRound('server_cpu_us_per_event', 'Server CPU per event', 'us', (sample) => cpuPerEvent(sample)),
  perRound('latency_p50_ms', 'Latency p50', 'ms', (sample) => sample.measured.latency?.p50_ms ?? null),
  perRound('latency_p95_ms', 'Latency p95', 'ms', (sample) => sample.measured.latency?.p95_ms ?? null),
  perRound('latency_p99_ms', 'Latency p99', 'ms', (sample) => sample.measured.latency?.p99_ms ?? null),
  perRound('latency_max_ms', 'Latency maximum', 'ms', (sample) => sample.measured.latency?.max_ms ?? null),
  perRound('failed_requests', 'Failed requests', 'count', (sample) => failedRequests(sample)),
  perRound(
    'disk_bytes_per_event',
    'Bytes on disk per event',
    'bytes',
    (sample) => sample.disk.bytes / sample.audit.stored_events,
  ),
  {
    key: 'deployed_bytes',
    label: 'Deployed size',
    unit: 'bytes',
    values: (from) => [from.deployed.own_bytes],
  },
  {
    key: 'deployed_with_runtime_bytes',
    label: 'Deployed size with runtime',
    unit: 'bytes',
    values: (from) => [from.deployed.with_runtime_bytes],
  },
];

/** Events acknowledged, and by then found in the file, per second. */
export function throughput(sample: Sample): number {
  return (sample.measured.received_events / sample.measured.duration_ms) * 1000;
}

function cpuPerEvent(sample: Sample): number | null {
  return sample.server_cpu_us === null ? null : sample.server_cpu_us / sample.measured.received_events;
}

/** Autocannon counts a timeout as an error too. */
export function failedRequests(sample: Sample): number {
  return sample.measured.non_2xx + sample.measured.errors;
}

/** Share of one core that the generator's process used while measuring. */
export function generatorLoad(sample: Sample): number {
  return sample.measured.generator_cpu_us / 1000 / sample.measured.duration_ms;
}

function perRound(key: string, label: string, unit: Unit, value: (sample: Sample) => number | null): Metric {
  return { key, label, unit, values: (from) => from.samples.map(value) };
}
