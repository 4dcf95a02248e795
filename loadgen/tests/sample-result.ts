/**
 * A whole result, made up but plausible: what a comparison of both servers on one machine would write.
 *
 * Invariant: the same options give the same bytes, and summaries and comparisons are computed from
 * the rounds by the code under test's own rules, so that they cannot contradict them. Nothing was measured.
 */

import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { METRICS } from '../src/analyse/metrics.ts';
import {
  type Comparison,
  compareRounds,
  noiseFloorOf,
  type Summary,
  summarise,
} from '../src/analyse/statistics.ts';
import type { Environment } from '../src/observe/environment.ts';
import type { Sample } from '../src/observe/sample.ts';
import { roundOrder } from '../src/plan/plan.ts';
import type { Measurement, Mode, Result, ServerMeasurement, Workload } from '../src/result/result.ts';
import { SCHEMA_VERSION } from '../src/result/result.ts';
import { DEPLOYED, ENVIRONMENT, LABELS, PAYLOAD, sampleHealth } from './sample-facts.ts';
import { sampleRound } from './sample-round.ts';

export interface SampleOptions {
  readonly seed?: number;
  readonly rounds?: number;
  readonly targets?: readonly TargetName[];
  /** Each server's time per event is so many times the usual. */
  readonly slower?: Readonly<Partial<Record<TargetName, number>>>;
  readonly environment?: Partial<Environment>;
}

interface Plan {
  readonly name: string;
  readonly title: string;
  readonly mode: Exclude<Mode, 'startup'>;
  readonly workload: Partial<Workload>;
}

const PLANS: readonly Plan[] = [
  { name: 'batch', title: 'Batches of generated events, closed loop', mode: 'batch', workload: {} },
  {
    name: 'single',
    title: 'One event a request, closed loop',
    mode: 'single',
    workload: { events: 300_000, batch_size: 1 },
  },
  {
    name: 'open_10000',
    title: 'Open loop at 10,000 events/s',
    mode: 'open',
    workload: { events: null, duration_s: 10, rate: { kind: 'fixed', events_per_s: 10_000 } },
  },
  {
    name: 'stream',
    title: '10 stream clients at 10,000 events/s',
    mode: 'open',
    workload: {
      events: null,
      duration_s: 10,
      stream_clients: 10,
      rate: { kind: 'fixed', events_per_s: 10_000 },
    },
  },
];

const WORKLOAD: Workload = {
  events: 1_200_000,
  duration_s: null,
  connections: 40,
  batch_size: 50,
  warmup_events: null,
  rounds: 5,
  durability: 'process',
  max_metadata_bytes: null,
  ids: 'random',
  preload_events: 0,
  stream_clients: 0,
  rate: null,
};

export function sampleResult(options: SampleOptions = {}): Result {
  const { seed = 1, targets = ['rs', 'ts'] } = options;
  const random = seededRandom(seed);
  const measurements = [startup(options, random), ...PLANS.map((plan) => measurement(plan, options, random))];
  const limitRates: Readonly<Record<TargetName, number>> = { rs: 140_000, ts: 120_000 };
  const samples = targets.flatMap((target) =>
    [1, 1.02, 0.99].map((factor) => ({
      target,
      events: 1_200_000,
      duration_ms: (1_200_000_000 / limitRates[target]) * factor,
      cpu_us: (1_100_000_000_000 / limitRates[target]) * factor,
    })),
  );
  const ceiling = (target: TargetName) => {
    const own = samples.filter((sample) => sample.target === target);
    return {
      events_per_s: summarise(own.map((sample) => (sample.events / sample.duration_ms) * 1000))!,
      cpu_us_per_event: summarise(own.map((sample) => sample.cpu_us / sample.events))!,
    };
  };
  return {
    schema_version: SCHEMA_VERSION,
    created_at: '2026-01-02T03:04:05.678Z',
    took_s: 1_234.5,
    flags: ['--mode=all'],
    environment: { ...ENVIRONMENT, ...options.environment },
    placement: {
      pinned: true,
      server_cpus: [0, 1, 2, 3, 4, 5, 6],
      generator_cpus: [7],
      reason: 'Pinned: generator on core 7, server on cores 0,1,2,3,4,5,6.',
    },
    servers: byTarget(targets, (target) => ({
      label: LABELS[target],
      health: sampleHealth(target),
      deployed: DEPLOYED[target],
    })),
    ceilings: [
      {
        payload_sha256: PAYLOAD.sha256,
        durability: 'process',
        group_events: 2_000,
        samples,
        servers: byTarget(targets, ceiling),
      },
    ],
    measurements,
    thresholds: [],
    warnings: [],
  };
}

function startup(options: SampleOptions, random: Random): Measurement {
  const { targets = ['rs', 'ts'] } = options;
  const order = roundOrder(targets, 10);
  const base: Readonly<Record<TargetName, number>> = { rs: 9, ts: 85 };
  const starts = byTarget(targets, (target) =>
    Array.from({ length: 10 }, () => base[target] * (1 + random.next() / 20)),
  );
  return {
    name: 'startup',
    title: 'Spawn to ready, on a fresh database',
    mode: 'startup',
    workload: null,
    driver: null,
    payload: null,
    ceiling: null,
    order,
    servers: byTarget(targets, (target) => ({
      starts_ms: starts[target]!,
      metrics: { start_ms: summarise(starts[target]!) },
    })),
    ...(targets.length < 2
      ? {}
      : { comparison: { start_ms: compareRounds(starts.rs!, starts.ts!, noiseFloorOf(order, starts)) } }),
    rounds: [],
    warnings: [],
  };
}

function measurement(plan: Plan, options: SampleOptions, random: Random): Measurement {
  const { targets = ['rs', 'ts'], rounds = 5, slower = {} } = options;
  const workload = { ...WORKLOAD, rounds, ...plan.workload };
  const order = roundOrder(targets, rounds);
  const samples = order.map((target, i) =>
    sampleRound({ round: i + 1, target, workload, slower: slower[target] ?? 1, random }),
  );
  const open = workload.rate !== null;
  return {
    name: plan.name,
    title: plan.title,
    mode: plan.mode,
    workload,
    driver: open
      ? { name: 'open', version: '1', model: 'open', latency_from: 'due', latency_resolution_us: 1 }
      : {
          name: 'autocannon',
          version: '9.0.0',
          model: 'closed',
          latency_from: 'sent',
          latency_resolution_us: 1,
        },
    payload: PAYLOAD,
    ceiling: open ? null : 0,
    order,
    ...figures(samples, order, targets),
    rounds: samples,
    warnings: [],
  };
}

/** Summaries and comparisons of every metric that rounds give. */
function figures(
  samples: readonly Sample[],
  order: readonly TargetName[],
  targets: readonly TargetName[],
): Pick<Measurement, 'servers' | 'comparison'> {
  const servers = byTarget(targets, () => ({ metrics: {} as Record<string, Summary | null> }));
  const comparison: Record<string, Comparison | null> = {};
  for (const metric of METRICS) {
    if (metric.from !== 'rounds') continue;
    const values = byTarget(targets, (target) =>
      samples.filter((sample) => sample.target === target).map((sample) => metric.value(sample)),
    );
    const measured = (target: TargetName) => (values[target] ?? []).filter((value) => value !== null);
    for (const target of targets) servers[target]!.metrics[metric.key] = summarise(measured(target));
    comparison[metric.key] = compareRounds(measured('rs'), measured('ts'), noiseFloorOf(order, values));
  }
  return {
    servers: servers as Partial<Record<TargetName, ServerMeasurement>>,
    ...(targets.length < 2 ? {} : { comparison }),
  };
}

function byTarget<T>(
  targets: readonly TargetName[],
  make: (target: TargetName) => T,
): Partial<Record<TargetName, T>> {
  return Object.fromEntries(targets.map((target) => [target, make(target)]));
}
