/** Summaries, comparisons and drift of the fixture, computed from its rounds as a run would. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../src/analyse/drift.ts';
import { type Comparison, median, type Summary, summarise } from '../src/analyse/statistics.ts';
import type { Sample } from '../src/observe/sample.ts';

const PER_ROUND: Readonly<Record<string, (sample: Sample) => number | null>> = {
  idle_rss_bytes: (sample) => sample.idle_rss_bytes,
  peak_rss_bytes: (sample) => sample.peak_rss_bytes,
  throughput_events_per_s: ({ measured }) => (measured.received_events / measured.duration_ms) * 1000,
  server_cpu_us_per_event: (sample) => sample.server_cpu_us! / sample.measured.received_events,
  generator_cpu_us_per_event: ({ measured }) => measured.generator_cpu_us / measured.received_events,
  latency_p50_ms: ({ measured }) => measured.latency!.p50_ms,
  latency_p95_ms: ({ measured }) => measured.latency!.p95_ms,
  latency_p99_ms: ({ measured }) => measured.latency!.p99_ms,
  latency_p99_9_ms: ({ measured }) => measured.latency!.p99_9_ms,
  latency_max_ms: ({ measured }) => measured.latency!.max_ms,
  failed_requests: ({ measured }) => measured.non_2xx + measured.errors,
  stream_lag_p50_ms: (sample) => sample.stream?.lag?.p50_ms ?? null,
  stream_lag_p99_ms: (sample) => sample.stream?.lag?.p99_ms ?? null,
  disk_bytes_per_event: (sample) => sample.disk.bytes / sample.audit.stored_events,
  wal_peak_bytes: (sample) => sample.disk.wal_peak_bytes,
};

/** A metric that no round has is left out, as of a mode that does not fit it. */
export function metricsOf(samples: readonly Sample[]): Record<string, Summary | null> {
  return Object.fromEntries(
    Object.entries(PER_ROUND).flatMap(([key, value]) => {
      const values = samples.flatMap((sample) => value(sample) ?? []);
      return values.length === 0 ? [] : [[key, summarise(values)]];
    }),
  );
}

/** Rust over TypeScript; the noise floor is the largest change between neighbours in each list. */
export function comparisonOf(a: readonly number[], b: readonly number[]): Comparison | null {
  if (a.length === 0 || b.some((value) => value === 0)) return null;
  const pairs = a.map((value, i) => value / b[i]!);
  const sorted = pairs.toSorted((x, y) => x - y);
  const ratio = median(a)! / median(b)!;
  const low = Math.min(ratio, sorted[Math.floor(pairs.length * 0.1)]!);
  const high = Math.max(ratio, sorted[Math.ceil(pairs.length * 0.9) - 1]!);
  const steps = [a, b].flatMap((values) =>
    values.slice(1).map((value, i) => Math.abs(value / values[i]! - 1)),
  );
  const noise_floor = steps.length === 0 ? null : Math.max(...steps);
  const beyond = Math.abs(ratio - 1) > (noise_floor ?? 0) && (low > 1 || high < 1);
  const direction = ratio > 1 ? 'higher' : 'lower';
  return {
    ratio,
    low,
    high,
    confidence: 0.95,
    interval: pairs.length > 1 ? 'bootstrap_of_paired_rounds' : 'none',
    pairs,
    noise_floor,
    verdict: pairs.length < 2 ? 'too_few_rounds' : beyond ? direction : 'no_difference',
  };
}

export function driftOf(target: TargetName): Record<string, Drift> {
  const drift = (slope: number, tolerance: number, verdict: Drift['verdict']): Drift => ({
    slope_per_hour: verdict === 'not_enough_samples' ? null : slope,
    low: verdict === 'not_enough_samples' ? null : slope - tolerance / 4,
    high: verdict === 'not_enough_samples' ? null : slope + tolerance / 4,
    confidence: 0.95,
    samples: 600,
    tolerance_per_hour: tolerance,
    verdict,
  });
  const mebibyte = 1024 * 1024;
  return {
    rss_bytes:
      target === 'rs'
        ? drift(mebibyte, 8 * mebibyte, 'stable')
        : drift(31 * mebibyte, 8 * mebibyte, 'rising'),
    wal_bytes: drift(0, 16 * mebibyte, 'stable'),
    file_descriptors: drift(0, 10, 'stable'),
    lag_ms: target === 'rs' ? drift(0.1, 5, 'stable') : drift(0, 5, 'not_enough_samples'),
  };
}
