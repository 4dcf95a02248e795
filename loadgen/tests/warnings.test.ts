/** Tests that each warning appears for its cause, and that a run without problems has none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Warning, WarningCode } from '../src/analyse/warning.ts';
import { type Grounds, measurementWarnings, runWarningsOf } from '../src/analyse/warnings.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import type { Environment } from '../src/observe/environment.ts';
import type { Slice } from '../src/observe/sample.ts';
import type { Options, Spec } from '../src/plan/spec.ts';
import { specsOf } from '../src/plan/suite.ts';
import { SCHEMA_FILE } from '../src/result/json.ts';

/** Returns what the warnings read of a slice without problems, with these changes. */
function slice(measured: object = {}, changed: Partial<Slice> = {}): Slice {
  const sent = { duration_ms: 12_000, received_events: 500_000, dropped_requests: 0 };
  const clean = {
    ...{ round: 1, target: 'rs', rate_events_per_s: null, server_cpu_us: 1, clients_cpu_us: 0 },
    machine: { others_share: 0.01, stolen_share: 0 },
    measured: { ...sent, generator_cpu_us: 2_000_000, ...measured },
  };
  return { ...clean, ...changed } as Slice;
}

/** Returns four rounds with one slice each. */
const four = (measured: object = {}, changed: Partial<Slice> = {}) =>
  [1, 2, 3, 4].map((round) => slice(measured, { round, ...changed }));

const specOf = (k6: boolean, ...argv: string[]): Spec =>
  specsOf((parseOptions(argv) as { options: Options }).options, { k6, wrk: true })[0]!;

/** Returns the warnings about a measurement of one server. */
function judged(slices: readonly Slice[], how: Partial<Grounds> = {}, steady = true): Warning[] {
  const rounds = {
    slices,
    processes: [{ target: 'rs', warm_up: { steady } }],
  } as unknown as Grounds['rounds'];
  const spec = specOf(false);
  return measurementWarnings({ spec, targets: ['rs'], generator_cores: 1, rounds, comparison: {}, ...how });
}

function compared(changed: object, key = 'throughput_events_per_s') {
  const split_half = { odd: 2, even: 2, agree: true };
  const found = { ratio: 2, low: 1.95, high: 2.05, interval: 'two_level_bootstrap', split_half, ...changed };
  return { comparison: { [key]: found } as unknown as Grounds['comparison'] };
}

const onMachine = (others_share: number, stolen_share: number) =>
  judged(four({}, { machine: { others_share, stolen_share } }));

function warned({ load = 0.1, pinned = true, stale = [] as string[], dirty = false } = {}) {
  const placement = { pinned, server_cpus: null, generator_cpus: null, reason: 'because' };
  const environment = { cpu_cores: 4, load_average: [load, 0, 0], dirty } as unknown as Environment;
  return runWarningsOf({ placement, environment }, stale);
}

const onK6 = { spec: specOf(true, '--mode=soak'), generator_cores: 2 };
const open = { spec: specOf(false, '--mode=open', '--rate=2000') };

const causes: readonly (readonly [code: WarningCode, found: Warning[]])[] = [
  ['generator_saturated', judged(four({ generator_cpu_us: 10_300_000 }))],
  // k6 may use two cores.
  ['generator_saturated', judged([slice({ generator_cpu_us: 20_500_000 })], onK6)],
  ['few_rounds', judged(four().slice(1))],
  ['wide_interval', judged(four(), compared({ high: 2.3 }))],
  ['wide_interval', judged(four(), { ...compared({ high: 3 }, 'server_cpu_us_per_event'), ...open })],
  ['halves_differ', judged(four(), compared({ split_half: { odd: 1.8, even: 2.2, agree: false } }))],
  ['short_load', judged(four({ duration_ms: 2_000, generator_cpu_us: 100_000 }))],
  ['not_steady', judged(four(), {}, false)],
  ['rate_not_reached', judged(four({}, { rate_events_per_s: 43_000 }))],
  ['requests_dropped', judged([...four(), slice({ dropped_requests: 1 })])],
  ['late_generator', judged(four({ generator_delay: { p99_ms: 9 } }))],
  ['stream_clients_saturated', judged(four({}, { clients_cpu_us: 10_300_000 }))],
  ['other_load', onMachine(0.06, 0)],
  ['stolen_time', onMachine(0, 0.03)],
  ['no_k6', judged([slice()], { spec: specOf(false, '--mode=soak') })],
  ['resources_not_measured', judged([...four(), slice({}, { server_cpu_us: null })])],
  ['machine_busy', warned({ load: 1.1 })],
  ['shared_cores', warned({ pinned: false })],
  ['stale_build', warned({ stale: ['rs'] })],
  ['uncommitted_changes', warned({ dirty: true })],
];

test('each warning is reported when its cause is there, with advice, and the schema lists the same codes', () => {
  for (const [code, found] of causes) {
    assert.equal(found.map((warning) => warning.code).join(), code);
    assert.ok(found[0]!.advice.length > 0 && found[0]!.message.length > 0, code);
  }
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
  const codes = schema.$defs.warning.properties.code.enum as string[];
  // `wide_spread` belongs to bench:sync only.
  assert.deepEqual(new Set(codes), new Set([...causes.map(([code]) => code), 'wide_spread']));
});

test('without a cause there is no warning', () => {
  for (const found of [
    judged(four(), compared({})),
    warned(),
    // One saturated slice among four, and requests that waited for a connection for a short time.
    judged([...four().slice(1), slice({ generator_cpu_us: 10_300_000 })]),
    judged(four({ generator_delay: { p99_ms: 1 } })),
    judged([slice({ generator_cpu_us: 10_300_000 })], onK6),
    // The rate of an open loop is given, so its throughput has no ratio.
    judged(four(), { ...compared({ high: 3 }), ...open }),
  ])
    assert.deepEqual(found, []);
});
