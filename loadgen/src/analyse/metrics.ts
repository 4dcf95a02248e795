/**
 * DATA: the metrics with their units and sources.
 *
 * Summaries, comparisons, labels and the schema's list of metrics follow from this table.
 */
import type { ProcessSample, Slice } from '../observe/sample.ts';
import type { RawMeasurement } from '../result/result.ts';

export type Unit = 'ms' | 'us' | 'bytes' | 'events_per_s' | 'count' | 'share';

type Samples = Pick<RawMeasurement, 'slices' | 'processes'>;

export interface Metric {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  /** Returns each process or slice with its value; `null` was not measured. Starts have no samples. */
  samplesIn(rounds: Samples): readonly (Pick<Slice, 'target' | 'round'> & { value: number | null })[];
}

const ofProcess = metricOf(({ processes }) => processes);
const ofSlice = metricOf(({ slices }) => slices);

export const METRICS: readonly Metric[] = [
  { key: 'start_ms', label: 'Start (spawn to ready)', unit: 'ms', samplesIn: () => [] },
  ofProcess('idle_rss_bytes', 'Idle RSS', 'bytes', ({ idle_rss_bytes }) => idle_rss_bytes),
  ofProcess('peak_rss_bytes', 'Peak RSS (under load)', 'bytes', ({ peak_rss_bytes }) => peak_rss_bytes),
  ofProcess('cold_events_per_s', 'Throughput, cold', 'events_per_s', (one) => one.warm_up.cold_events_per_s),
  ofSlice('throughput_events_per_s', 'Throughput', 'events_per_s', throughput),
  ofSlice('server_cpu_us_per_event', 'Server CPU per event', 'us', serverCpu),
  ofSlice('generator_cpu_us_per_event', 'Generator CPU per event', 'us', generatorCpu),
  ofSlice('latency_p50_ms', 'Latency p50', 'ms', ({ measured }) => measured.latency?.p50_ms),
  ofSlice('latency_p95_ms', 'Latency p95', 'ms', ({ measured }) => measured.latency?.p95_ms),
  ofSlice('latency_p99_ms', 'Latency p99', 'ms', ({ measured }) => measured.latency?.p99_ms),
  ofSlice('latency_p99_9_ms', 'Latency p99.9', 'ms', ({ measured }) => measured.latency?.p99_9_ms),
  ofSlice('latency_max_ms', 'Latency maximum', 'ms', ({ measured }) => measured.latency?.max_ms),
  ofSlice('failed_requests', 'Failed requests', 'count', failures),
  ofProcess('stream_lag_p50_ms', 'Stream lag p50', 'ms', ({ stream }) => stream?.lag?.p50_ms),
  ofProcess('stream_lag_p99_ms', 'Stream lag p99', 'ms', ({ stream }) => stream?.lag?.p99_ms),
  // Events of the warm-up count, since the file contains them.
  ofProcess('disk_bytes_per_event', 'Disk per event', 'bytes', ({ disk }) => disk.bytes / disk.events),
  ofProcess('wal_peak_bytes', 'Write-ahead log, peak', 'bytes', ({ disk }) => disk.wal_peak_bytes),
];

/**
 * The columns of a soak's timeline, each with the change per hour that is too small to matter over a working day.
 * `cpu_share` is the share of one core.
 */
export const DRIFTS = {
  rss_bytes: { label: 'RSS', unit: 'bytes', tolerance: 8 * 1024 ** 2 },
  cpu_share: { label: 'CPU (share of a core)', unit: 'share', tolerance: 0.05 },
  wal_bytes: { label: 'Write-ahead log', unit: 'bytes', tolerance: 8 * 1024 ** 2 },
  file_descriptors: { label: 'File descriptors', unit: 'count', tolerance: 1 },
  lag_ms: { label: 'Runtime lag', unit: 'ms', tolerance: 1 },
} as const;

/** Returns a function that makes a metric of each process, or of each slice. */
function metricOf<One extends Slice | ProcessSample>(listIn: (rounds: Samples) => readonly One[]) {
  return (
    key: string,
    label: string,
    unit: Unit,
    value: (one: One) => number | null | undefined,
  ): Metric => ({
    ...{ key, label, unit },
    samplesIn: (rounds) => listIn(rounds).map((one) => ({ ...one, value: value(one) ?? null })),
  });
}

/** Returns the acknowledged events per second. The audit checks that the file contains all of them. */
export function throughput({ measured }: Slice): number {
  return (measured.received_events / measured.duration_ms) * 1000;
}

/** Returns `null` where the system does not report the CPU time of the server. */
function serverCpu({ server_cpu_us, measured }: Slice): number | null {
  return server_cpu_us === null ? null : server_cpu_us / measured.received_events;
}

function generatorCpu({ measured }: Slice): number {
  return measured.generator_cpu_us / measured.received_events;
}

/** Returns the number of failed requests; `errors` already includes timeouts. */
function failures({ measured }: Slice): number {
  return measured.non_2xx + measured.errors + measured.dropped_requests;
}

/** Returns the share of one core that the generator's process used while measuring. */
export function generatorLoad({ measured }: Slice): number {
  return measured.generator_cpu_us / 1000 / measured.duration_ms;
}

/** Returns the share of one core that the process of all stream clients used; 0 without clients. */
export function streamClientsLoad({ clients_cpu_us, measured }: Slice): number {
  return clients_cpu_us / 1000 / measured.duration_ms;
}
