/** Each warning appears when its cause does, and a sound run has none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Warning, WarningCode } from '../src/analyse/warning.ts';
import { measurementWarnings, type RunGrounds, runWarningsOf } from '../src/analyse/warnings.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import type { Latency, Sent } from '../src/load/drivers/driver.ts';
import type { Sample, StreamSample } from '../src/observe/sample.ts';
import type { Options } from '../src/plan/options.ts';
import type { Spec } from '../src/plan/spec.ts';
import { specsOf } from '../src/plan/suite.ts';
import { SCHEMA_FILE } from '../src/result/json.ts';

const SENT: Sent = {
  duration_ms: 12_000,
  requests: 10_000,
  sent_events: 500_000,
  sent_event_ids: 500_000,
  sent_bytes: 1,
  received_events: 500_000,
  duplicate_events: 0,
  rejected_events: 0,
  non_2xx: 0,
  errors: 0,
  timeouts: 0,
  dropped_requests: 0,
  status_codes: { '201': 10_000 },
  latency: null,
  send_delay: null,
  acknowledged_per_second: [],
  generator_cpu_us: 2_000_000,
};

function sample(measured: Partial<Sent> = {}, changed: Partial<Sample> = {}): Sample {
  return {
    round: 1,
    target: 'rs',
    at_s: 1,
    rate_events_per_s: null,
    warm_up: { steady: true, cold_events_per_s: 1, parts_events_per_s: [], sent: SENT },
    measured: { ...SENT, ...measured },
    server_cpu_us: 1,
    idle_rss_bytes: 1,
    peak_rss_bytes: 1,
    timeline: { t_ms: [], rss_bytes: [], cpu_us: [], wal_bytes: [], file_descriptors: [], lag_ms: [] },
    stream: null,
    reader: null,
    machine: { others_share: 0.01, stolen_share: 0 },
    stop_ms: 1,
    disk: { bytes: 1, events: 1, wal_peak_bytes: 1 },
    audit: {
      expected_events: 1,
      acknowledged_events: 1,
      stored_events: 1,
      expected_digest: '',
      stored_digest: '',
    },
    ...changed,
  };
}

const specOf = (...argv: string[]): Spec =>
  specsOf((parseOptions(argv) as { options: Options }).options, { k6: false })[0]!;
const five = (measured: Partial<Sent>, changed: Partial<Sample> = {}) =>
  Array.from({ length: 5 }, () => sample(measured, changed));
const judged = (samples: readonly Sample[], spec = specOf(), generator_cores = 1) =>
  measurementWarnings({ spec, targets: ['rs'], generator_cores, samples });

function runGrounds(
  changed: { load?: number; pinned?: boolean; stale?: string[]; dirty?: boolean } = {},
): RunGrounds {
  const { load = 0.1, pinned = true, stale = [], dirty = false } = changed;
  return {
    placement: { pinned, server_cpus: null, generator_cpus: null, reason: 'because' },
    environment: {
      cpu_model: null,
      cpu_cores: 4,
      memory_bytes: 1,
      platform: 'linux',
      arch: 'x64',
      kernel: '6',
      database_file_system: null,
      load_average: [load, 0, 0],
      node_version: '24',
      rustc_version: null,
      commit: null,
      dirty,
    },
    stale,
  };
}

test('a sound measurement and a sound run have no reason', () => {
  assert.deepEqual(judged(five({})), []);
  assert.deepEqual(runWarningsOf(runGrounds()), []);
});

const late: Latency = {
  min_ms: 1,
  p50_ms: 1,
  p90_ms: 1,
  p95_ms: 1,
  p99_ms: 9,
  p99_9_ms: 9,
  max_ms: 9,
  mean_ms: 1,
  samples: 1,
  histogram: '',
};
const followed: StreamSample = {
  clients: 10,
  frames: 1,
  complete_clients: 10,
  lag: null,
  clients_cpu_us: 10_300_000,
};
const warm = { cold_events_per_s: 1, parts_events_per_s: [], sent: SENT };
const causes: Readonly<Record<WarningCode, () => Warning[]>> = {
  generator_saturated: () => judged(five({ generator_cpu_us: 10_300_000 })),
  few_rounds: () => judged([sample(), sample()]),
  high_spread: () => judged([...five({}), sample({ duration_ms: 16_000 })]),
  short_rounds: () => judged(five({ duration_ms: 9_000 })),
  not_steady: () => judged([...five({}), sample({}, { warm_up: { steady: false, ...warm } })]),
  rate_not_reached: () => judged(five({}, { rate_events_per_s: 43_000 })),
  requests_dropped: () => judged([...five({}), sample({ dropped_requests: 1 })]),
  late_generator: () => judged([...five({}), sample({ generator_delay: late })]),
  stream_clients_saturated: () => judged(five({}, { stream: followed })),
  other_load: () => judged([...five({}), sample({}, { machine: { others_share: 0.06, stolen_share: 0 } })]),
  stolen_time: () => judged([...five({}), sample({}, { machine: { others_share: 0, stolen_share: 0.03 } })]),
  trend: () => judged([6, 5.9, 5.7, 5.5, 5.3, 5.2].map((us) => sample({}, { server_cpu_us: us * 500_000 }))),
  no_k6: () => judged([sample()], specOf('--mode=soak')),
  resources_not_measured: () => judged([...five({}), sample({}, { server_cpu_us: null })]),
  machine_busy: () => runWarningsOf(runGrounds({ load: 1.1 })),
  shared_cores: () => runWarningsOf(runGrounds({ pinned: false })),
  stale_build: () => runWarningsOf(runGrounds({ stale: ['rs'] })),
  uncommitted_changes: () => runWarningsOf(runGrounds({ dirty: true })),
};

for (const [code, cause] of Object.entries(causes)) {
  test(`${code} is reported when its cause is there, with advice`, () => {
    const found = cause();
    assert.deepEqual(
      found.map((warning) => warning.code),
      [code],
    );
    assert.ok(found[0]!.advice.length > 0 && found[0]!.message.length > 0);
  });
}

test('k6 is saturated by the cores it may run on', () => {
  const soak = specsOf((parseOptions(['--mode=soak']) as { options: Options }).options, { k6: true })[0]!;
  const codes = (generator_cpu_us: number, cores: number) =>
    judged([sample({ generator_cpu_us })], soak, cores).map(({ code }) => code);
  assert.deepEqual(codes(10_300_000, 1), ['generator_saturated']);
  assert.deepEqual(codes(10_300_000, 2), []);
  assert.deepEqual(codes(20_500_000, 2), ['generator_saturated']);
});

test('an open loop is judged by its latency and not by the rate it was asked for', () => {
  const open = specOf('--mode=open', '--rate=2000');
  const at = (p99_ms: number, rate: number) =>
    sample({ latency: { ...late, p99_ms }, received_events: rate * 12 }, { rate_events_per_s: rate });
  assert.deepEqual(
    judged(
      [1, 1, 1, 1, 1].map((p99) => at(p99, 1000)),
      open,
    ),
    [],
  );
  assert.deepEqual(
    judged(
      [1000, 1000, 2000, 1000, 1000].map((rate) => at(1, rate)),
      open,
    ),
    [],
  );
  const [found, ...others] = judged(
    [1, 1, 2, 1, 1].map((p99) => at(p99, 1000)),
    open,
  );
  assert.equal(found!.message, 'rs: latency p99 varied by 100 % between rounds');
  assert.deepEqual(others, []);
});

test('a request that waited for a connection is not late by the generator', () => {
  const waited = { send_delay: late, generator_delay: { ...late, p99_ms: 1 } };
  assert.deepEqual(judged(five(waited)), []);
  assert.deepEqual(
    judged(five({ send_delay: late, generator_delay: late })).map(({ code }) => code),
    ['late_generator'],
  );
});

test('the schema knows the same list', () => {
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
  const codes = schema.$defs.warning.properties.code.enum as string[];
  assert.deepEqual(codes.toSorted(), Object.keys(causes).toSorted());
});
