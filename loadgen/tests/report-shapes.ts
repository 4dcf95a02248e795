/** Other forms of a result, made from a complete one: small runs, one server, swapped figures, no differences. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Comparison } from '../src/analyse/statistics.ts';
import type { Measurement, RawResult } from '../src/result/result.ts';

export const HOSTILE = '<img src=x onerror="document.title=1">|`*';

export function shapes(full: RawResult): Readonly<Record<string, RawResult>> {
  return {
    'a full run': full,
    'a small run': only(full, ['startup', 'batch']),
    'starts alone in time': only(full, ['startup']),
    'singles without starts': only(full, ['single']),
    'an open loop': only(full, ['open_1000']),
    'a soak': only(full, ['soak']),
    'nothing at all': only(full, []),
    'a run without ceilings': {
      ...full,
      ceilings: [],
      measurements: full.measurements.map((measurement) => ({ ...measurement, ceiling: null })),
    },
    'a run that could measure little': unmeasured(full),
    'Rust alone': alone(full, 'rs'),
    'TypeScript alone': alone(full, 'ts'),
  };
}

export function only(full: RawResult, names: readonly string[]): RawResult {
  return { ...full, measurements: full.measurements.filter(({ name }) => names.includes(name)) };
}

/** Returns a result in which the servers have swapped their figures. */
export function swapped(full: RawResult): RawResult {
  const other = (name: TargetName): TargetName => (name === 'rs' ? 'ts' : 'rs');
  return {
    ...full,
    measurements: full.measurements.map((measurement) => ({
      ...measurement,
      servers: { rs: measurement.servers.ts!, ts: measurement.servers.rs! },
      slices: measurement.slices.map((slice) => ({ ...slice, target: other(slice.target) })),
      comparison: compared(measurement, (comparison) => ({
        ...comparison,
        ratio: 1 / comparison.ratio,
        low: 1 / comparison.high,
        high: 1 / comparison.low,
        verdict:
          ({ higher: 'lower', lower: 'higher' } as const)[comparison.verdict as 'higher'] ??
          comparison.verdict,
      })),
    })),
  };
}

/** Returns a result with the same figures, in which no difference exceeds the noise. */
export function alike(full: RawResult): RawResult {
  return {
    ...full,
    measurements: full.measurements.map((measurement) => ({
      ...measurement,
      comparison: compared(measurement, (comparison) => ({
        ...comparison,
        ratio: 1.01,
        low: 0.98,
        high: 1.04,
        split_half: { odd: 1.01, even: 1.01, agree: true },
        verdict: 'no_difference',
      })),
    })),
  };
}

/** Returns a result with markup in every text. */
export function hostile(full: RawResult): RawResult {
  const warning = { code: 'wide_spread', message: HOSTILE, limits: HOSTILE, advice: HOSTILE } as const;
  return {
    ...full,
    flags: [HOSTILE],
    environment: { ...full.environment, cpu_model: HOSTILE, kernel: HOSTILE },
    placement: { ...full.placement, reason: HOSTILE },
    servers: {
      rs: { ...full.servers.rs!, label: `Rust ${HOSTILE}` },
      ts: { ...full.servers.ts!, label: `TypeScript ${HOSTILE}` },
    },
    measurements: full.measurements.map((measurement) => ({
      ...measurement,
      title: `${measurement.title} ${HOSTILE}`,
      warnings: [warning],
    })),
    warnings: [warning],
  };
}

/** Returns a result of a system that reports nothing about processes, with requests that were never answered. */
function unmeasured(full: RawResult): RawResult {
  return {
    ...full,
    measurements: full.measurements.map((measurement) => ({
      ...measurement,
      servers: Object.fromEntries(
        Object.keys(measurement.servers).map((name) => [
          name,
          { metrics: { throughput_events_per_s: null, peak_rss_bytes: null, latency_p99_ms: null } },
        ]),
      ),
      comparison: { throughput_events_per_s: null, peak_rss_bytes: null, latency_p99_ms: null },
      slices: measurement.slices.map((slice) => ({
        ...slice,
        timeline: {
          ...slice.timeline,
          rss_bytes: slice.timeline.t_ms.map(() => null),
          cpu_us: slice.timeline.t_ms.map(() => null),
          wal_bytes: slice.timeline.t_ms.map(() => null),
          lag_ms: slice.timeline.t_ms.map(() => null),
        },
      })),
    })),
  };
}

function alone(full: RawResult, name: TargetName): RawResult {
  return {
    ...full,
    servers: { [name]: full.servers[name]! },
    measurements: full.measurements.map(({ comparison: _, ...measurement }) => ({
      ...measurement,
      order: measurement.order.filter((target) => target === name),
      servers: { [name]: measurement.servers[name]! },
      slices: measurement.slices.filter(({ target }) => target === name),
    })),
  };
}

function compared(
  measurement: Measurement,
  change: (comparison: Comparison) => Comparison,
): Record<string, Comparison | null> {
  return Object.fromEntries(
    Object.entries(measurement.comparison ?? {}).map(([key, found]) => [
      key,
      found === null ? null : change(found),
    ]),
  );
}
