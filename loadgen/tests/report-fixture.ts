/**
 * A whole result with every measurement, made up but of realistic size, for the tests of what readers see.
 *
 * A pure function of its constants: no clock, no chance. The figures mean nothing; two rules hold all the
 * same: each summary is that of its rounds, and latencies come from histograms that can be decoded.
 */

import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { summarise } from '../src/analyse/statistics.ts';
import type { Sample } from '../src/observe/sample.ts';
import { type Measurement, type Mode, type Rate, type Result, SCHEMA_VERSION } from '../src/result/result.ts';
import { type Character, sampleOf } from './report-fixture-rounds.ts';
import { ceilingOf, serversOf } from './report-fixture-servers.ts';
import { comparisonOf, driftOf, metricsOf } from './report-fixture-summaries.ts';

const ORDER: readonly TargetName[] = Array.from({ length: 20 }, (_, i) =>
  [1, 2].includes(i % 4) ? 'ts' : 'rs',
);

const BATCH: Character = { rs: [73_000, 12.3, 16], ts: [60_000, 17.4, 22] };

interface Kind {
  readonly name: string;
  readonly title: string;
  readonly mode: Mode;
  readonly character: Character;
  readonly rate?: Rate;
  readonly batch_size?: number;
  readonly durability?: 'process' | 'power';
  readonly stream_clients?: number;
  readonly rounds?: number;
  readonly duration_s?: number;
}

const fixed = (rate: number): Kind => ({
  name: `open_${rate}`,
  title: `Open loop, ${rate.toLocaleString('en-US')} events/s asked of both`,
  mode: 'open',
  rate: { kind: 'fixed', events_per_s: rate },
  character: { rs: [rate, 13, 1 + rate / 20_000], ts: [rate, 19, 1.5 + rate / 8_000] },
});

const share = (part: number): Kind => ({
  name: `open_${part}_percent`,
  title: `Open loop, ${part} % of each server’s throughput`,
  mode: 'open',
  rate: { kind: 'share', share: part / 100, events_per_s: { rs: 730 * part, ts: 600 * part } },
  character: { rs: [730 * part, 12.6, 1.2 + part / 30], ts: [600 * part, 18, 1.8 + part / 15] },
});

const KINDS: readonly Kind[] = [
  {
    name: 'short',
    title: '20,000 events',
    mode: 'batch',
    character: { rs: [52_000, 14, 20], ts: [51_000, 26, 21] },
  },
  { name: 'batch', title: 'Batches of 50', mode: 'batch', character: BATCH },
  {
    name: 'corpus',
    title: 'Batches of 50, real events',
    mode: 'batch',
    character: { rs: [70_000, 12.9, 17], ts: [58_000, 18.1, 23] },
  },
  {
    name: 'single',
    title: 'One event a request',
    mode: 'single',
    batch_size: 1,
    character: { rs: [21_000, 38, 1.1], ts: [9_000, 105, 2.9] },
  },
  ...[25, 50, 75, 90].map(share),
  ...[2000, 10_000, 30_000].map(fixed),
  {
    name: 'power',
    title: 'Batches of 50, durability power',
    mode: 'batch',
    durability: 'power',
    character: { rs: [31_000, 14.2, 50], ts: [29_000, 20, 54] },
  },
  {
    name: 'stream',
    title: 'Open loop, 10,000 events/s with 10 stream clients',
    mode: 'open',
    stream_clients: 10,
    rate: { kind: 'fixed', events_per_s: 10_000 },
    character: { rs: [10_000, 19, 1.4], ts: [10_000, 41, 2.6] },
  },
  {
    name: 'soak',
    title: 'Soak: 10 minutes, stream clients and a dashboard',
    mode: 'soak',
    rounds: 1,
    duration_s: 600,
    stream_clients: 4,
    rate: { kind: 'fixed', events_per_s: 10_000 },
    character: { rs: [10_000, 16, 1.3], ts: [10_000, 30, 2.4] },
  },
];

/** All measurements of a full run, ten rounds a server. */
export function sampleReportResult(): Result {
  const random = seededRandom(7);
  return {
    schema_version: SCHEMA_VERSION,
    created_at: '2026-11-22T08:00:00.000Z',
    took_s: 5_160,
    flags: ['--rounds=10'],
    environment: {
      cpu_model: 'AMD EPYC',
      cpu_cores: 2,
      memory_bytes: 25_276_502_016,
      platform: 'linux',
      arch: 'x64',
      kernel: '6.18.44',
      database_file_system: 'ext4',
      load_average: [0.41, 0.75, 1.09],
      node_version: '24.21.0',
      rustc_version: 'rustc 1.95.0 (59807616e 2026-04-14)',
      commit: '5a1af4463b51b02adb12b781a9b6c758a5ebbc94',
      dirty: false,
    },
    placement: {
      pinned: false,
      server_cpus: null,
      generator_cpus: null,
      reason: 'Not pinned: server and generator share 2 cores.',
    },
    servers: serversOf(),
    ceilings: [
      ceilingOf('process', 50, random),
      ceilingOf('power', 50, random),
      ceilingOf('process', 1, random),
    ],
    measurements: [startupOf(random), ...KINDS.map((kind) => measurementOf(kind, random))],
    thresholds: [{ condition: 'rs.p99_ms<250', found: [{ measurement: 'batch', value: 196, holds: true }] }],
    warnings: [
      {
        code: 'shared_cores',
        message: 'Not pinned: server and generator share 2 cores.',
        advice: 'CPU per event is the sounder figure.',
      },
    ],
  };
}

function startupOf(random: Random): Measurement {
  const starts = (around: number) => Array.from({ length: 10 }, () => around * (0.95 + random.next() * 0.2));
  const rs = starts(8.4);
  const ts = starts(116);
  return {
    name: 'startup',
    title: 'Start',
    mode: 'startup',
    workload: null,
    driver: null,
    payload: null,
    ceiling: null,
    order: ORDER,
    servers: {
      rs: { starts_ms: rs, metrics: { start_ms: summarise(rs) } },
      ts: { starts_ms: ts, metrics: { start_ms: summarise(ts) } },
    },
    comparison: { start_ms: comparisonOf(rs, ts) },
    rounds: [],
    warnings: [],
  };
}

function measurementOf(kind: Kind, random: Random): Measurement {
  const open = kind.mode === 'open' || kind.mode === 'soak';
  const rounds = kind.rounds ?? 10;
  const soak = kind.mode === 'soak';
  const samples: Sample[] = ORDER.slice(0, rounds * 2).map((target, i) =>
    sampleOf({
      round: i + 1,
      target,
      character: kind.character,
      batch_size: kind.batch_size ?? 50,
      stream_clients: kind.stream_clients ?? 0,
      seconds: kind.duration_s ?? 12,
      points: soak ? 600 : 20,
      open,
      soak,
      random,
    }),
  );
  const of = (target: TargetName) => samples.filter((sample) => sample.target === target);
  const power = kind.durability === 'power';
  return {
    name: kind.name,
    title: kind.title,
    mode: kind.mode,
    workload: {
      events: kind.name === 'short' ? 20_000 : open ? null : 1_200_000,
      duration_s: open ? (kind.duration_s ?? 12) : null,
      connections: 40,
      batch_size: kind.batch_size ?? 50,
      warmup_events: kind.name === 'short' ? 500 : open ? null : 720_000,
      rounds,
      durability: kind.durability ?? 'process',
      max_metadata_bytes: null,
      ids: 'random',
      preload_events: 0,
      stream_clients: kind.stream_clients ?? 0,
      rate: kind.rate ?? null,
    },
    driver: {
      name: open ? 'open-loop' : 'autocannon',
      version: open ? '0.1.0' : '9.0.0',
      model: open ? 'open' : 'closed',
      latency_from: open ? 'due' : 'sent',
      latency_resolution_us: 1,
    },
    payload: {
      source: kind.name === 'corpus' ? 'corpus' : 'generated',
      seed: 1,
      events: 15_799,
      sessions: 42,
      with_event_id: 15_799,
      bytes: 14_731_305,
      sha256: '04a79e40093d907f0fd36314caf36fb22bd35541cf40abc80827432af26e739a',
      event_bytes: { p50: 560, p90: 1379, p95: 2722, p99: 9657, max: 74_618, mean: 932.4 },
    },
    ceiling: power ? 1 : kind.batch_size === 1 ? 2 : 0,
    order: ORDER.slice(0, rounds * 2),
    servers: {
      rs: { metrics: metricsOf(of('rs')), ...(soak ? { drift: driftOf('rs') } : {}) },
      ts: { metrics: metricsOf(of('ts')), ...(soak ? { drift: driftOf('ts') } : {}) },
    },
    comparison: Object.fromEntries(
      Object.keys(metricsOf(of('rs'))).map((key) => [
        key,
        comparisonOf(valuesOf(of('rs'), key), valuesOf(of('ts'), key)),
      ]),
    ),
    rounds: samples,
    warnings:
      kind.name === 'power'
        ? [
            {
              code: 'high_spread',
              message: 'ts: throughput varied by 24 % between rounds',
              advice: 'Close other programs and use more rounds.',
            },
          ]
        : [],
  };
}

function valuesOf(samples: readonly Sample[], key: string): number[] {
  return samples.flatMap((sample) => metricsOf([sample])[key]?.median ?? []);
}
