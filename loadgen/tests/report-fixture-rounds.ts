/** Made-up rounds of the fixture: sent events, latencies as a histogram, timelines and processes. */

import type { Random } from '@twin-ingest/testkit/random.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Latency, Sent } from '../src/load/drivers/driver.ts';
import type { ProcessSample, Slice, Timeline } from '../src/observe/sample.ts';
import { inTurn } from '../src/plan/plan.ts';
import type { Spec } from '../src/plan/spec.ts';
import type { Rounds } from '../src/run/cycles.ts';

/** For each server: events per second, µs of CPU per event, median latency in ms. */
export type Character = Readonly<Record<TargetName, readonly [number, number, number]>>;

export interface RoundsOf {
  readonly spec: Spec;
  /** Whether it is the first of its group, so that its processes are new. */
  readonly isFirst: boolean;
  readonly character: Character;
  readonly random: Random;
}

const MIB = 1024 * 1024;
const POINTS = { slice: 3, soak: 600 };

export function roundsOf(of: RoundsOf): Rounds {
  const { spec, isFirst } = of;
  const slices: Slice[] = [];
  const processes: ProcessSample[] = [];
  for (let round = 1; round <= spec.workload.rounds; round++) {
    const order = round % 2 === 1 ? TARGET_NAMES : [...TARGET_NAMES].reverse();
    for (const target of inTurn(order, spec.workload.slices)) slices.push(sliceOf(of, round, target, slices));
    if (isFirst) for (const target of order) processes.push(processOf(of, round, target, slices));
  }
  const events = spec.rate === null ? 200_000 * spec.workload.slices : null;
  return { slices, processes, size: { events, warmup_events: isFirst ? 300_000 : 0 } };
}

function sliceOf(of: RoundsOf, round: number, target: TargetName, before: readonly Slice[]): Slice {
  const { spec, random } = of;
  const isSoak = spec.mode === 'soak';
  const [rate, cpu] = of.character[target];
  const measured = sentOf(of, target);
  const seconds = measured.duration_ms / 1000;
  return {
    round,
    target,
    at_s: (before.at(-1)?.at_s ?? 10) + seconds + 1,
    rate_events_per_s: spec.rate === null ? null : rate,
    measured,
    server_cpu_us: Math.round(measured.received_events * cpu * near(random)),
    timeline: timelineOf(of, target, seconds, rate * cpu),
    reader: isSoak ? { requests: 600, failed: 0, p50_ms: 0.9, p99_ms: 4.2 } : null,
    clients_cpu_us: spec.workload.stream_clients * measured.received_events * 0.3,
    machine: { others_share: 0.01, stolen_share: 0 },
  };
}

function sentOf({ spec, character, random }: RoundsOf, target: TargetName): Sent {
  const { batch_size, duration_s } = spec.workload;
  const [rate, , middle] = character[target];
  // Both servers get the same events, independent of their speed.
  const events = spec.rate === null ? 200_000 : Math.round(rate * duration_s!);
  const seconds = spec.rate === null ? events / (rate * near(random)) : duration_s!;
  const requests = Math.ceil(events / batch_size);
  return {
    duration_ms: seconds * 1000,
    requests,
    sent_events: events,
    sent_event_ids: events,
    sent_bytes: events * 932,
    received_events: events,
    duplicate_events: 0,
    rejected_events: 0,
    non_2xx: 0,
    errors: 0,
    timeouts: 0,
    dropped_requests: 0,
    status_codes: { '201': requests },
    latency: latencyOf(middle * near(random), target === 'rs' ? 0.55 : 0.7, random),
    send_delay: spec.rate === null ? null : latencyOf(0.05, 0.3, random),
    acknowledged_per_second: Array.from({ length: Math.ceil(seconds) }, () =>
      Math.round(rate * near(random)),
    ),
    generator_cpu_us: Math.round(events * 5.2 * near(random)),
  };
}

function processOf(
  { spec, character, random }: RoundsOf,
  round: number,
  target: TargetName,
  slices: readonly Slice[],
): ProcessSample {
  const own = slices.filter((slice) => slice.round === round && slice.target === target);
  const events = own.reduce((sum, { measured }) => sum + measured.sent_events, 0);
  const digest = `${round}`.padStart(32, '0');
  const clients = spec.workload.stream_clients;
  const [rate] = character[target];
  return {
    round,
    target,
    warm_up: {
      steady: true,
      cold_events_per_s: spec.rate === null ? rate * 0.6 : null,
      parts_events_per_s: [rate * 0.9, rate, rate],
      sent: own[0]!.measured,
    },
    idle_rss_bytes: (target === 'rs' ? 7.2 : 109) * MIB * near(random),
    peak_rss_bytes: (target === 'rs' ? 63 : 200) * MIB * near(random),
    stream:
      clients === 0
        ? null
        : {
            clients,
            frames: events * clients,
            complete_clients: clients,
            lag: latencyOf(target === 'rs' ? 6 : 9, 0.6, random),
            clients_cpu_us: events * 3,
          },
    stop_ms: 40 * near(random),
    disk: { bytes: events * 676, events, wal_peak_bytes: 18_000_000 * near(random) },
    audit: {
      expected_events: events,
      acknowledged_events: events,
      stored_events: events,
      expected_digest: digest,
      stored_digest: digest,
    },
  };
}

/** Returns a random factor within 4 % of 1. */
function near(random: Random): number {
  return 0.96 + random.next() * 0.08;
}

/** Returns a latency with an approximately log-normal distribution and a few stalls. */
function latencyOf(middle_ms: number, width: number, random: Random): Latency {
  const histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: 3,
  });
  let sum = 0;
  for (let i = 0; i < 2000; i++) {
    const normal = random.next() + random.next() + random.next() + random.next() - 2;
    const stall = random.next() < 0.01 ? 4 : 1;
    const value = Math.max(1, Math.round(middle_ms * 1000 * Math.exp(normal * 1.7 * width) * stall));
    histogram.recordValueWithCount(value, 10);
    sum += value;
  }
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  return {
    min_ms: at(0),
    p50_ms: at(50),
    p90_ms: at(90),
    p95_ms: at(95),
    p99_ms: at(99),
    p99_9_ms: at(99.9),
    max_ms: histogram.maxValue / 1000,
    mean_ms: sum / 2000 / 1000,
    samples: 20_000,
    histogram: encodeIntoCompressedBase64(histogram),
  };
}

function timelineOf(
  { spec, random }: RoundsOf,
  target: TargetName,
  seconds: number,
  cpu_us_per_s: number,
): Timeline {
  const isSoak = spec.mode === 'soak';
  const points = isSoak ? POINTS.soak : POINTS.slice;
  const rss = (target === 'rs' ? 60 : 190) * MIB * near(random);
  const step_ms = (seconds * 1000) / points;
  const column = <T>(value: (i: number) => T) => Array.from({ length: points }, (_, i) => value(i));
  let cpu = 0;
  return {
    t_ms: column((i) => (i + 1) * step_ms),
    rss_bytes: column((i) => rss * (0.7 + 0.3 * Math.min(1, i / (points / 3)) + random.next() * 0.02)),
    cpu_us: column(() => {
      cpu += ((cpu_us_per_s * step_ms) / 1000) * (0.9 + random.next() * 0.2);
      return Math.round(cpu);
    }),
    wal_bytes: column((i) => ((i * 3_000_000) % 18_000_000) + 32),
    file_descriptors: column(() => (target === 'rs' ? 58 : 71)),
    lag_ms: column(() =>
      isSoak ? (target === 'rs' ? 0.3 : 1.1) * (1 + random.next() * random.next() * 4) : null,
    ),
  };
}
