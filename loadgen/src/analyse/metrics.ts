/**
 * DATA: the metrics in the order of the table, with source and unit.
 *
 * Summaries, comparisons, tables and the schema's list of metrics follow from this table.
 */
import type { ProcessSample, Slice } from '../observe/sample.ts';

export type Unit = 'ms' | 'us' | 'bytes' | 'events_per_s' | 'count' | 'share';

/**
 * Source of a metric. `starts`: the measured starts. `deployed`: the artefact. `process`: one value per process.
 * `slice`: one value per slice. A value of `null` was not measured.
 */
type Origin =
  | { readonly from: 'starts' | 'deployed' }
  | { readonly from: 'process'; readonly value: (sample: ProcessSample) => number | null }
  | { readonly from: 'slice'; readonly value: (slice: Slice) => number | null };

export type Metric = Origin & { readonly key: string; readonly label: string; readonly unit: Unit };

type Value<Sample> = (sample: Sample) => number | null | undefined;

export const METRICS: readonly Metric[] = [
  { key: 'start_ms', label: 'Start (spawn to ready)', unit: 'ms', from: 'starts' },
  ofProcess('idle_rss_bytes', 'Idle RSS', 'bytes', (sample) => sample.idle_rss_bytes),
  ofProcess('peak_rss_bytes', 'Peak RSS (under load)', 'bytes', (sample) => sample.peak_rss_bytes),
  ofProcess(
    'cold_events_per_s',
    'Throughput, cold',
    'events_per_s',
    ({ warm_up }) => warm_up.cold_events_per_s,
  ),
  ofSlice('throughput_events_per_s', 'Throughput', 'events_per_s', throughput),
  ofSlice('server_cpu_us_per_event', 'Server CPU per event', 'us', cpuPerEvent),
  ofSlice('generator_cpu_us_per_event', 'Generator CPU per event', 'us', generatorCpuPerEvent),
  ofSlice('latency_p50_ms', 'Latency p50', 'ms', ({ measured }) => measured.latency?.p50_ms),
  ofSlice('latency_p95_ms', 'Latency p95', 'ms', ({ measured }) => measured.latency?.p95_ms),
  ofSlice('latency_p99_ms', 'Latency p99', 'ms', ({ measured }) => measured.latency?.p99_ms),
  ofSlice('latency_p99_9_ms', 'Latency p99.9', 'ms', ({ measured }) => measured.latency?.p99_9_ms),
  ofSlice('latency_max_ms', 'Latency maximum', 'ms', ({ measured }) => measured.latency?.max_ms),
  ofSlice('failed_requests', 'Failed requests', 'count', failedRequests),
  ofProcess('stream_lag_p50_ms', 'Stream lag p50', 'ms', ({ stream }) => stream?.lag?.p50_ms),
  ofProcess('stream_lag_p99_ms', 'Stream lag p99', 'ms', ({ stream }) => stream?.lag?.p99_ms),
  // Events of the warm-up count, since the file contains them.
  ofProcess(
    'disk_bytes_per_event',
    'Bytes on disk per event',
    'bytes',
    ({ disk }) => disk.bytes / disk.events,
  ),
  ofProcess('wal_peak_bytes', 'Write-ahead log, peak', 'bytes', ({ disk }) => disk.wal_peak_bytes),
  { key: 'deployed_bytes', label: 'Deployed size', unit: 'bytes', from: 'deployed' },
  {
    key: 'deployed_with_runtime_bytes',
    label: 'Deployed size with runtime',
    unit: 'bytes',
    from: 'deployed',
  },
];

/** Returns the acknowledged events per second. The audit checks that the file contains all of them. */
export function throughput({ measured }: Slice): number {
  return (measured.received_events / measured.duration_ms) * 1000;
}

/** Returns the share of one core that the generator's process used while measuring. */
export function generatorLoad({ measured }: Slice): number {
  return measured.generator_cpu_us / 1000 / measured.duration_ms;
}

/** Returns the share of one core that the process of all stream clients used; 0 without clients. */
export function streamClientsLoad({ clients_cpu_us, measured }: Slice): number {
  return clients_cpu_us / 1000 / measured.duration_ms;
}

/** Returns the server's CPU time per event in microseconds; `null` where the system does not report it. */
function cpuPerEvent({ server_cpu_us, measured }: Slice): number | null {
  return server_cpu_us === null ? null : server_cpu_us / measured.received_events;
}

function generatorCpuPerEvent({ measured }: Slice): number {
  return measured.generator_cpu_us / measured.received_events;
}

/** Returns the number of failed requests. `errors` already includes timeouts. */
function failedRequests({ measured }: Slice): number {
  return measured.non_2xx + measured.errors + measured.dropped_requests;
}

function ofSlice(key: string, label: string, unit: Unit, value: Value<Slice>): Metric {
  return { key, label, unit, from: 'slice', value: (slice) => value(slice) ?? null };
}

function ofProcess(key: string, label: string, unit: Unit, value: Value<ProcessSample>): Metric {
  return { key, label, unit, from: 'process', value: (sample) => value(sample) ?? null };
}
