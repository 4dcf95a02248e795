/**
 * DATA: the metrics in the order of the table, with source and unit.
 *
 * Summaries, comparisons, tables, thresholds and the schema's list of metrics follow from this table.
 */
import type { Sample } from '../observe/sample.ts';

export type Unit = 'ms' | 'us' | 'bytes' | 'events_per_s' | 'count' | 'share';

/** `starts`: of the measured starts; `deployed`: of the artefact; `rounds`: one value a round. */
type Origin =
  | { readonly from: 'starts' | 'deployed' }
  | { readonly from: 'rounds'; readonly value: (sample: Sample) => number | null };

export type Metric = Origin & {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  /** Which direction is good; what it costs is better low. */
  readonly better: 'lower' | 'higher';
};

export const METRICS: readonly Metric[] = [
  { key: 'start_ms', label: 'Start (spawn to ready)', unit: 'ms', better: 'lower', from: 'starts' },
  perRound('idle_rss_bytes', 'Idle RSS', 'bytes', (sample) => sample.idle_rss_bytes),
  perRound('peak_rss_bytes', 'Peak RSS (under load)', 'bytes', (sample) => sample.peak_rss_bytes),
  {
    ...perRound(
      'cold_events_per_s',
      'Throughput, cold',
      'events_per_s',
      (sample) => sample.warm_up.cold_events_per_s,
    ),
    better: 'higher',
  },
  { ...perRound('throughput_events_per_s', 'Throughput', 'events_per_s', throughput), better: 'higher' },
  perRound('server_cpu_us_per_event', 'Server CPU per event', 'us', cpuPerEvent),
  perRound('generator_cpu_us_per_event', 'Generator CPU per event', 'us', generatorCpuPerEvent),
  perRound('latency_p50_ms', 'Latency p50', 'ms', (sample) => sample.measured.latency?.p50_ms ?? null),
  perRound('latency_p95_ms', 'Latency p95', 'ms', (sample) => sample.measured.latency?.p95_ms ?? null),
  perRound('latency_p99_ms', 'Latency p99', 'ms', (sample) => sample.measured.latency?.p99_ms ?? null),
  perRound('latency_p99_9_ms', 'Latency p99.9', 'ms', (sample) => sample.measured.latency?.p99_9_ms ?? null),
  perRound('latency_max_ms', 'Latency maximum', 'ms', (sample) => sample.measured.latency?.max_ms ?? null),
  perRound('failed_requests', 'Failed requests', 'count', failedRequests),
  perRound('stream_lag_p50_ms', 'Stream lag p50', 'ms', (sample) => sample.stream?.lag?.p50_ms ?? null),
  perRound('stream_lag_p99_ms', 'Stream lag p99', 'ms', (sample) => sample.stream?.lag?.p99_ms ?? null),
  perRound('disk_bytes_per_event', 'Bytes on disk per event', 'bytes', diskPerEvent),
  perRound('wal_peak_bytes', 'Write-ahead log, peak', 'bytes', (sample) => sample.disk.wal_peak_bytes),
  { key: 'deployed_bytes', label: 'Deployed size', unit: 'bytes', better: 'lower', from: 'deployed' },
  {
    key: 'deployed_with_runtime_bytes',
    label: 'Deployed size with runtime',
    unit: 'bytes',
    better: 'lower',
    from: 'deployed',
  },
];

export const METRIC_KEYS: readonly string[] = METRICS.map((metric) => metric.key);

/** Events acknowledged, and by then found in the file, per second. */
export function throughput(sample: Sample): number {
  return (sample.measured.received_events / sample.measured.duration_ms) * 1000;
}

/** Share of one core that the generator's process used while measuring. */
export function generatorLoad(sample: Sample): number {
  return sample.measured.generator_cpu_us / 1000 / sample.measured.duration_ms;
}

/** The same of the process that holds all stream clients; 0 without any. */
export function streamClientsLoad({ stream, measured }: Sample): number {
  return stream === null ? 0 : stream.clients_cpu_us / 1000 / measured.duration_ms;
}

/** Of the server, in microseconds; `null` where the system does not say. */
export function cpuPerEvent(sample: Sample): number | null {
  return sample.server_cpu_us === null ? null : sample.server_cpu_us / sample.measured.received_events;
}

function generatorCpuPerEvent(sample: Sample): number {
  return sample.measured.generator_cpu_us / sample.measured.received_events;
}

/** A timeout is counted among the errors too. */
export function failedRequests(sample: Sample): number {
  return sample.measured.non_2xx + sample.measured.errors + sample.measured.dropped_requests;
}

/** Preloaded events included, since the file holds them. */
function diskPerEvent(sample: Sample): number {
  return sample.disk.bytes / sample.disk.events;
}

function perRound(
  key: string,
  label: string,
  unit: Unit,
  value: (sample: Sample) => number | null,
): Extract<Metric, { from: 'rounds' }> {
  return { key, label, unit, better: 'lower', from: 'rounds', value };
}
