/**
 * One round of a made-up result: raw figures that follow from a time per event and a little noise.
 *
 * The histograms are one real HDR histogram for all; only the percentiles next to it differ. See
 * sample-result.ts.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Latency, Sent } from '../src/load/drivers/driver.ts';
import type { Sample, StreamSample } from '../src/observe/sample.ts';
import type { Workload } from '../src/result/result.ts';

export interface SampleRound {
  readonly round: number;
  readonly target: TargetName;
  readonly workload: Workload;
  readonly slower: number;
  readonly random: Random;
}

/** 10,100 latencies around 22 ms, the slowest 45 ms. */
const HISTOGRAM = 'HISTFAAAAC94nJNpmSzMwMDgwsDAwMjAwMDMAAGMEOr/fxj/ZOALdn1y0XzWLYzX2UUA0YwdHQ==';

const MIB = 1_048_576;

/** What a server costs on an idle machine. */
const COST: Readonly<
  Record<TargetName, { us_per_event: number; cpu_us: number; idle_rss: number; rss: number }>
> = {
  rs: { us_per_event: 10, cpu_us: 9.5, idle_rss: 9 * MIB, rss: 92 * MIB },
  ts: { us_per_event: 18, cpu_us: 21, idle_rss: 78 * MIB, rss: 240 * MIB },
};

export function sampleRound({ round, target, workload, slower, random }: SampleRound): Sample {
  // Between -2 % and +2 %.
  const noisy = (value: number) => value * (0.98 + random.next() * 0.04);
  const cost = COST[target];
  const rate = workload.rate?.kind === 'fixed' ? workload.rate.events_per_s : null;
  const events = workload.events ?? rate! * workload.duration_s!;
  const perRequest = workload.batch_size === 1 ? 4 : 1;
  const duration_ms =
    rate === null
      ? (events * noisy(cost.us_per_event * slower * perRequest)) / 1000
      : workload.duration_s! * 1000;
  const measured = sent({
    events,
    duration_ms,
    batch_size: workload.batch_size,
    p50_ms: noisy(rate === null ? cost.us_per_event * slower * 2 : cost.us_per_event * slower * 0.1),
    open: rate !== null,
  });
  const digest = round.toString(16).padStart(32, '0');
  const seconds = Array.from({ length: 10 }, (_, i) => i);
  return {
    round,
    target,
    at_s: 60 * round,
    rate_events_per_s: rate,
    warm_up: {
      steady: true,
      cold_events_per_s: rate === null ? noisy(600_000 / cost.us_per_event) : null,
      parts_events_per_s: [],
      sent: sent({
        events: 100_000,
        duration_ms: 4_000,
        batch_size: workload.batch_size,
        p50_ms: 30,
        open: false,
      }),
    },
    measured,
    server_cpu_us: events * noisy(cost.cpu_us * slower * perRequest),
    idle_rss_bytes: Math.round(noisy(cost.idle_rss)),
    peak_rss_bytes: Math.round(noisy(cost.rss)),
    timeline: {
      t_ms: seconds.map((i) => i * 1000),
      rss_bytes: seconds.map(() => Math.round(noisy(cost.rss * 0.9))),
      cpu_us: seconds.map((i) => i * 950_000),
      wal_bytes: seconds.map((i) => (i % 4) * 4 * MIB),
      file_descriptors: seconds.map(() => 60),
      lag_ms: seconds.map(() => null),
    },
    stream: workload.stream_clients === 0 ? null : stream(workload.stream_clients, events, noisy(6 * slower)),
    reader: null,
    machine: { others_share: 0.01, stolen_share: 0 },
    stop_ms: noisy(40),
    disk: { bytes: Math.round(noisy(174 * events)), events, wal_peak_bytes: 16 * MIB },
    audit: {
      expected_events: events,
      acknowledged_events: events,
      stored_events: events,
      expected_digest: digest,
      stored_digest: digest,
    },
  };
}

interface Load {
  readonly events: number;
  readonly duration_ms: number;
  readonly batch_size: number;
  readonly p50_ms: number;
  readonly open: boolean;
}

function sent({ events, duration_ms, batch_size, p50_ms, open }: Load): Sent {
  const requests = Math.ceil(events / batch_size);
  const seconds = Math.ceil(duration_ms / 1000);
  return {
    duration_ms,
    requests,
    sent_events: events,
    sent_event_ids: events,
    sent_bytes: events * 426,
    received_events: events,
    duplicate_events: 0,
    rejected_events: 0,
    non_2xx: 0,
    errors: 0,
    timeouts: 0,
    dropped_requests: 0,
    status_codes: { '201': requests },
    latency: latency(p50_ms, requests),
    send_delay: open ? latency(0.05, requests) : null,
    generator_delay: open ? latency(0.02, requests) : null,
    acknowledged_per_second: Array.from({ length: seconds }, () => Math.floor(events / seconds)),
    generator_cpu_us: events * 2.5,
  };
}

function latency(p50_ms: number, samples: number): Latency {
  return {
    min_ms: p50_ms * 0.5,
    p50_ms,
    p90_ms: p50_ms * 1.2,
    p95_ms: p50_ms * 1.3,
    p99_ms: p50_ms * 1.5,
    p99_9_ms: p50_ms * 2,
    max_ms: p50_ms * 3,
    mean_ms: p50_ms * 1.02,
    samples,
    histogram: HISTOGRAM,
  };
}

function stream(clients: number, events: number, p50_ms: number): StreamSample {
  const frames = clients * events;
  return {
    clients,
    frames,
    complete_clients: clients,
    lag: { p50_ms, p99_ms: p50_ms * 3, max_ms: p50_ms * 5, samples: frames, histogram: HISTOGRAM },
    clients_cpu_us: frames * 3,
  };
}
