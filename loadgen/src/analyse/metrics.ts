/**
 * DATA: the metrics in the order of the table, with source and unit.
 *
 * Summaries, comparisons, tables and the schema's list of metrics follow from this table.
 */
import type { ProcessSample, Slice } from '../observe/sample.ts';

export type Unit = 'ms' | 'us' | 'bytes' | 'events_per_s' | 'count' | 'share';

interface Samples {
  readonly slices: readonly Slice[];
  readonly processes: readonly ProcessSample[];
}

export interface Metric {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  /** Source: the measured starts, the artefact, each process, or each slice. */
  readonly from: 'starts' | 'deployed' | 'process' | 'slice';
  /** Returns each process or slice with its value; `null` was not measured. Starts and artefacts have no samples. */
  samplesIn(rounds: Samples): readonly (Pick<Slice, 'target' | 'round'> & { value: number | null })[];
}

type Value<Sample> = (sample: Sample) => number | null | undefined;

export const METRICS: readonly Metric[] = [
  ofNone('start_ms', 'Start (spawn to ready)', 'ms', 'starts'),
  ofProcess('idle_rss_bytes', 'Idle RSS', 'bytes', (sample) => sample.idle_rss_bytes),
  ofProcess('peak_rss_bytes', 'Peak RSS (under load)', 'bytes', (sample) => sample.peak_rss_bytes),
  ofProcess('cold_events_per_s', 'Throughput, cold', 'events_per_s', (one) => one.warm_up.cold_events_per_s),
  ofSlice('throughput_events_per_s', 'Throughput', 'events_per_s', throughput),
  // `null` where the system does not report the CPU time of the server.
  ofSlice('server_cpu_us_per_event', 'Server CPU per event', 'us', ({ server_cpu_us, measured }) =>
    server_cpu_us === null ? null : server_cpu_us / measured.received_events,
  ),
  ofSlice(
    'generator_cpu_us_per_event',
    'Generator CPU per event',
    'us',
    ({ measured }) => measured.generator_cpu_us / measured.received_events,
  ),
  ofSlice('latency_p50_ms', 'Latency p50', 'ms', ({ measured }) => measured.latency?.p50_ms),
  ofSlice('latency_p95_ms', 'Latency p95', 'ms', ({ measured }) => measured.latency?.p95_ms),
  ofSlice('latency_p99_ms', 'Latency p99', 'ms', ({ measured }) => measured.latency?.p99_ms),
  ofSlice('latency_p99_9_ms', 'Latency p99.9', 'ms', ({ measured }) => measured.latency?.p99_9_ms),
  ofSlice('latency_max_ms', 'Latency maximum', 'ms', ({ measured }) => measured.latency?.max_ms),
  // `errors` already includes timeouts.
  ofSlice(
    'failed_requests',
    'Failed requests',
    'count',
    ({ measured }) => measured.non_2xx + measured.errors + measured.dropped_requests,
  ),
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
  ofNone('deployed_bytes', 'Deployed size', 'bytes', 'deployed'),
  ofNone('deployed_with_runtime_bytes', 'Deployed size with runtime', 'bytes', 'deployed'),
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

function ofNone(key: string, label: string, unit: Unit, from: Metric['from']): Metric {
  return { key, label, unit, from, samplesIn: () => [] };
}

function ofSlice(key: string, label: string, unit: Unit, value: Value<Slice>): Metric {
  const samplesIn = ({ slices }: Samples) => slices.map((one) => ({ ...one, value: value(one) ?? null }));
  return { key, label, unit, from: 'slice', samplesIn };
}

function ofProcess(key: string, label: string, unit: Unit, value: Value<ProcessSample>): Metric {
  const samplesIn = ({ processes }: Samples) =>
    processes.map((one) => ({ ...one, value: value(one) ?? null }));
  return { key, label, unit, from: 'process', samplesIn };
}
