/** Other forms of a result, made of a whole one: small runs, one server, figures turned, nothing differing. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Comparison } from '../src/analyse/statistics.ts';
import type { Measurement, Result } from '../src/result/result.ts';

export const HOSTILE = '<img src=x onerror="document.title=1">|`*';

export function shapes(full: Result): Readonly<Record<string, Result>> {
  return {
    'a full run': full,
    'a small run': only(full, ['startup', 'batch']),
    'starts alone in time': only(full, ['startup']),
    'singles without starts': only(full, ['single']),
    'an open loop': only(full, ['open_2000']),
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

export function only(full: Result, names: readonly string[]): Result {
  return { ...full, measurements: full.measurements.filter(({ name }) => names.includes(name)) };
}

/** One server gets the figures of the other. */
export function swapped(full: Result): Result {
  const other = (name: TargetName): TargetName => (name === 'rs' ? 'ts' : 'rs');
  return {
    ...full,
    measurements: full.measurements.map((measurement) => ({
      ...measurement,
      servers: { rs: measurement.servers.ts!, ts: measurement.servers.rs! },
      rounds: measurement.rounds.map((round) => ({ ...round, target: other(round.target) })),
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

/** The same figures, of which none differs beyond noise. */
export function alike(full: Result): Result {
  return {
    ...full,
    measurements: full.measurements.map((measurement) => ({
      ...measurement,
      comparison: compared(measurement, (comparison) => ({
        ...comparison,
        ratio: 1.01,
        low: 0.98,
        high: 1.04,
        noise_floor: 0.05,
        verdict: 'no_difference',
      })),
    })),
  };
}

/** Markup wherever a result holds text of its own. */
export function hostile(full: Result): Result {
  const warning = { code: 'high_spread', message: HOSTILE, advice: HOSTILE } as const;
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
    thresholds: [{ condition: HOSTILE, found: [{ measurement: HOSTILE, value: null, holds: false }] }],
    warnings: [warning],
  };
}

/** A system that reports nothing about processes, and requests of which none was answered. */
function unmeasured(full: Result): Result {
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
      rounds: measurement.rounds.map((round) => ({
        ...round,
        measured: { ...round.measured, latency: null },
        stream: null,
        timeline: {
          ...round.timeline,
          rss_bytes: round.timeline.t_ms.map(() => null),
          cpu_us: round.timeline.t_ms.map(() => null),
          wal_bytes: round.timeline.t_ms.map(() => null),
          lag_ms: round.timeline.t_ms.map(() => null),
        },
      })),
    })),
  };
}

function alone(full: Result, name: TargetName): Result {
  return {
    ...full,
    servers: { [name]: full.servers[name]! },
    measurements: full.measurements.map(({ comparison: _, ...measurement }) => ({
      ...measurement,
      order: measurement.order.filter((target) => target === name),
      servers: { [name]: measurement.servers[name]! },
      rounds: measurement.rounds.filter(({ target }) => target === name),
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
