/** One made-up round of the fixture: what was sent, its latencies as a histogram, and the timeline. */

import type { Random } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Latency } from '../src/load/drivers/driver.ts';
import type { Sample, Timeline } from '../src/observe/sample.ts';

/** Of each server: events per second, µs of CPU per event, median latency in ms. */
export type Character = Readonly<Record<TargetName, readonly [number, number, number]>>;

export interface RoundOf {
  readonly round: number;
  readonly target: TargetName;
  readonly character: Character;
  readonly batch_size: number;
  readonly stream_clients: number;
  readonly seconds: number;
  readonly points: number;
  readonly open: boolean;
  readonly soak: boolean;
  readonly random: Random;
}

export function sampleOf(of: RoundOf): Sample {
  const { random, target, soak } = of;
  const near = () => 0.96 + random.next() * 0.08;
  const [rate, cpu, middle] = of.character[target];
  const seconds = of.seconds;
  const events = Math.round(rate * seconds * (of.open ? 1 : near()));
  const rss = (target === 'rs' ? 60 : 190) * 1024 * 1024 * near();
  const requests = Math.ceil(events / of.batch_size);
  const sent = {
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
    latency: latencyOf(middle * near(), target === 'rs' ? 0.55 : 0.7, random),
    send_delay: of.open ? latencyOf(0.05, 0.3, random) : null,
    acknowledged_per_second: Array.from({ length: seconds }, () => Math.round(rate * near())),
    generator_cpu_us: Math.round(events * 5.2 * near()),
  };
  const digest = `${of.round}`.padStart(32, '0');
  const clients = of.stream_clients;
  return {
    round: of.round,
    target,
    at_s: 60 * of.round,
    rate_events_per_s: of.open ? rate : null,
    warm_up: {
      steady: true,
      cold_events_per_s: of.open ? null : rate * 0.6,
      parts_events_per_s: [rate * 0.9, rate, rate],
      sent,
    },
    measured: sent,
    server_cpu_us: Math.round(events * cpu * near()),
    idle_rss_bytes: (target === 'rs' ? 7.2 : 109) * 1024 * 1024 * near(),
    peak_rss_bytes: rss * 1.05,
    timeline: timelineOf(of, rss, rate * cpu),
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
    reader: soak ? { requests: 600, failed: 0, p50_ms: 0.9, p99_ms: 4.2, cpu_us: 900_000 } : null,
    machine: { others_share: 0.01, stolen_share: 0 },
    stop_ms: 40 * near(),
    disk: { bytes: events * 676, events, wal_peak_bytes: 18_000_000 * near() },
    audit: {
      expected_events: events,
      acknowledged_events: events,
      stored_events: events,
      expected_digest: digest,
      stored_digest: digest,
    },
  };
}

/** About log-normal, with a few stalls. */
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

function timelineOf(of: RoundOf, rss: number, cpu_us_per_s: number): Timeline {
  const { random, points, target, soak } = of;
  const step_ms = (of.seconds * 1000) / points;
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
      soak ? (target === 'rs' ? 0.3 : 1.1) * (1 + random.next() * random.next() * 4) : null,
    ),
  };
}
