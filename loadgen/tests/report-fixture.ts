/**
 * A complete made-up result with every measurement, for the tests of reports.
 *
 * It depends only on its constants, not on a clock or on chance. The figures have no meaning, but each summary and each
 * comparison matches its values.
 */
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Drift } from '../src/analyse/drift.ts';
import { startupOf } from '../src/analyse/measurement.ts';
import { METRICS } from '../src/analyse/metrics.ts';
import { compareSlices, summarise } from '../src/analyse/statistics.ts';
import { ADVICE } from '../src/analyse/warnings.ts';
import type { Ceiling } from '../src/ceilings/ceiling.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import type { Slice } from '../src/observe/sample.ts';
import type { Options } from '../src/plan/options.ts';
import type { Spec } from '../src/plan/spec.ts';
import { specsOf } from '../src/plan/suite.ts';
import { inTurn } from '../src/plan/turns.ts';
import { type RawMeasurement, type RawResult, type Result, SCHEMA_VERSION } from '../src/result/result.ts';
import { summaryOf } from '../src/result/summary.ts';
import type { Health } from '../src/verify/health.ts';

/** For each server: events per second, µs of CPU per event, median latency in ms. */
type Character = Readonly<Record<TargetName, readonly [number, number, number]>>;

const MIB = 1024 * 1024;
const BATCH: Character = { rs: [73_000, 12.3, 16], ts: [60_000, 17.4, 22] };
const PLAIN: Character = { rs: [40_000, 24, 30], ts: [31_000, 33, 39] };
const at = (rate: number): Character => ({
  rs: [rate, 13, 1 + rate / 20_000],
  ts: [rate, 19, 1.5 + rate / 8_000],
});
const CHARACTERS: Readonly<Record<string, Character>> = {
  single: { rs: [21_000, 38, 1.1], ts: [9_000, 105, 2.9] },
  power: { rs: [31_000, 14.2, 50], ts: [29_000, 20, 54] },
  plain_batch: PLAIN,
  plain_1000: at(1000),
  plain_10000: at(10_000),
  open_1000: at(1000),
  open_30000: at(30_000),
};

/** Returns the character of a measurement; those without an own one have that of a batch or of 10,000 events/s. */
function characterOf({ name, rate }: Spec): Character {
  return CHARACTERS[name] ?? (rate === null ? BATCH : at(10_000));
}

/** Values of the metrics; those that are missing here are not measured. */
const VALUES: Readonly<Record<string, (of: Character, name: TargetName) => number>> = {
  idle_rss_bytes: (_, name) => (name === 'rs' ? 7.2 : 109) * MIB,
  peak_rss_bytes: (_, name) => (name === 'rs' ? 63 : 200) * MIB,
  cold_events_per_s: (of, name) => of[name][0] * 0.6,
  throughput_events_per_s: (of, name) => of[name][0],
  server_cpu_us_per_event: (of, name) => of[name][1],
  generator_cpu_us_per_event: () => 5.2,
  latency_p50_ms: (of, name) => of[name][2],
  latency_p95_ms: (of, name) => of[name][2] * 2,
  latency_p99_ms: (of, name) => of[name][2] * 3,
  latency_p99_9_ms: (of, name) => of[name][2] * 5,
  latency_max_ms: (of, name) => of[name][2] * 9,
  failed_requests: () => 0,
  disk_bytes_per_event: () => 676,
  wal_peak_bytes: () => 18 * MIB,
  stream_lag_p50_ms: (_, name) => (name === 'rs' ? 6 : 9),
  stream_lag_p99_ms: (_, name) => (name === 'rs' ? 12 : 20),
};

/** Scatter of the rounds around a value. The servers differ in it, so that the interval of a ratio has a width. */
const SCATTER: Readonly<Record<TargetName, readonly number[]>> = {
  rs: [0.98, 1.01, 0.99, 1.02],
  ts: [1.01, 0.99, 1, 0.98],
};

let made: RawResult | undefined;

/** Returns all measurements of a full run, also on real events, and of a soak. All callers share one object. */
export function sampleReportResult(): RawResult {
  made ??= makeResult();
  return made;
}

/** Returns the same result without raw data, as the repository stores it. */
export function sampleSummary(): Result {
  return summaryOf(sampleReportResult(), { sha256: 'ab'.repeat(32), bytes: 3_000_000 });
}

function specs(): Spec[] {
  const specsOfMode = (...argv: string[]) => {
    const { options } = parseOptions(argv) as { options: Options };
    return specsOf({ ...options, corpus: 'events.ndjson' }, { k6: true, wrk: true });
  };
  return [...specsOfMode('--mode=all'), ...specsOfMode('--mode=soak', '--duration=600')];
}

function makeResult(): RawResult {
  const reason = 'Not pinned: server and generator share 2 cores.';
  const starts = (around: number) => Array.from({ length: 10 }, (_, i) => around * (0.95 + i * 0.02));
  const startup = startupOf(
    new Map([
      ['rs', starts(8.4)],
      ['ts', starts(116)],
    ]),
    inTurn(TARGET_NAMES, 10),
  );
  return {
    schema_version: SCHEMA_VERSION,
    created_at: '2026-11-22T08:00:00.000Z',
    took_s: 5_160,
    flags: ['--mode=all'],
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
    placement: { pinned: false, server_cpus: null, generator_cpus: null, reason },
    servers: {
      rs: {
        label: 'Rust (axum + tokio)',
        health: healthOf('rust', 'THREADSAFE=1'),
        deployed: { own_bytes: 4_761_456, with_runtime_bytes: 4_761_456 },
      },
      ts: {
        label: 'TypeScript (Node.js)',
        health: healthOf('node', 'THREADSAFE=2'),
        deployed: { own_bytes: 2_829_569, with_runtime_bytes: 129_425_009 },
      },
    },
    raw: null,
    ceilings: [ceilingOf('process', 50), ceilingOf('power', 50), ceilingOf('process', 1)],
    measurements: [startup, ...specs().map((spec, i, all) => madeUp(spec, spec.group !== all[i - 1]?.group))],
    thresholds: [],
    warnings: [{ code: 'shared_cores', message: reason, ...ADVICE.shared_cores }],
  };
}

function healthOf(runtime: string, option: string): Health {
  return {
    runtime,
    version: '0.1.0',
    contract: '1.0.0',
    durability: 'process',
    sqlite_version: '3.54.1',
    journal_mode: 'wal',
    synchronous: 'normal',
    compile_options: ['ENABLE_FTS5', option],
    pragmas: { cache_size: -16_000, journal_mode: 'wal', page_size: 4096, synchronous: 1 },
  };
}

function ceilingOf(durability: 'process' | 'power', group_events: number): Ceiling {
  const of = (events_per_s: number) => ({
    events_per_s: summarise(SCATTER.rs.map((part) => events_per_s * part))!,
    cpu_us_per_event: summarise([8])!,
  });
  const servers = { rs: of(group_events === 1 ? 62_000 : 128_000), ts: of(49_000) };
  return { payload_sha256: 'aa'.repeat(32), durability, group_events, samples: [], servers };
}

/** Index of a measurement's ceiling, if it is not the first. */
const CEILINGS: Readonly<Record<string, number>> = { power: 1, single: 2 };

/** Metrics of processes, which only the first measurement of a group has. */
const OF_PROCESS = METRICS.filter(({ from }) => from === 'process').map(({ key }) => key);

function madeUp(spec: Spec, isFirst: boolean): RawMeasurement {
  const open = spec.rate !== null;
  const character = characterOf(spec);
  const { rounds, stream_clients } = spec.workload;
  const keys = Object.keys(VALUES).filter(
    (key) => (isFirst || !OF_PROCESS.includes(key)) && (stream_clients > 0 || !key.startsWith('stream_')),
  );
  const values = (key: string, name: TargetName) =>
    SCATTER[name].slice(0, rounds).map((part) => [VALUES[key]!(character, name) * part]);
  const soaked = spec.mode === 'soak';
  const serverOf = (name: TargetName) => ({
    metrics: Object.fromEntries(keys.map((key) => [key, summarise(values(key, name).flat())])),
    ...(soaked
      ? { reads: { requests: 600, failed: 0, p50_ms: 0.9, p99_ms: 4.2 }, drift: driftOf(name) }
      : {}),
  });
  const slices = inTurn(TARGET_NAMES, rounds).map((name, i) => sliceOf(spec, name, 1 + Math.floor(i / 2)));
  const warnings =
    spec.name === 'power'
      ? [
          {
            code: 'wide_interval',
            message: 'the ratio of throughput is known to ±24 %',
            ...ADVICE.wide_interval,
          },
        ]
      : [];
  return {
    name: spec.name,
    title: spec.title,
    mode: spec.mode,
    contenders: spec.servers,
    workload: {
      ...spec.workload,
      events: open ? null : 800_000,
      warmup_events: isFirst ? 300_000 : 0,
      rate: spec.rate?.kind === 'share' ? { ...spec.rate, events_per_s: rates(spec.rate.share) } : spec.rate,
    },
    driver: {
      name: open ? 'open-loop' : spec.driver,
      version: '9.0.0',
      model: open ? 'open' : 'closed',
      latency_from: open ? 'due' : 'sent',
      latency_resolution_us: 1,
    },
    payload: {
      source: spec.corpus === undefined ? 'generated' : 'corpus',
      seed: 1,
      events: 15_799,
      sessions: 42,
      with_event_id: 15_799,
      bytes: 14_731_305,
      sha256: '04a79e40093d907f0fd36314caf36fb22bd35541cf40abc80827432af26e739a',
      event_bytes: { p50: 560, p90: 1379, p95: 2722, p99: 9657, max: 74_618, mean: 932.4 },
    },
    ceiling: spec.ceiling ? (CEILINGS[spec.name] ?? 0) : null,
    order: slices.map(({ target }) => target),
    servers: { rs: serverOf('rs'), ts: serverOf('ts') },
    comparison: Object.fromEntries(
      keys.map((key) => [key, compareSlices(values(key, 'rs'), values(key, 'ts'))]),
    ),
    audited_events: isFirst ? 8_000_000 : 0,
    generator: { cpu_us_per_event: 5.2, core_share: 0.3 },
    slices,
    processes: [],
    warnings: warnings as RawMeasurement['warnings'],
  };
}

function rates(share: number): Record<TargetName, number> {
  return { rs: BATCH.rs[0] * share, ts: BATCH.ts[0] * share };
}

function sliceOf({ mode }: Spec, target: TargetName, round: number): Slice {
  const points = mode === 'soak' ? 600 : 3;
  const column = <T>(value: (i: number) => T) => Array.from({ length: points }, (_, i) => value(i));
  const timeline = {
    t_ms: column((i) => (i + 1) * 500),
    rss_bytes: column((i) => (target === 'rs' ? 60 : 190) * MIB * (0.7 + (0.3 * i) / points)),
    cpu_us: column((i) => (i + 1) * 400_000),
    wal_bytes: column((i) => ((i * 3_000_000) % 18_000_000) + 32),
    file_descriptors: column(() => 58),
    lag_ms: column((i) => (mode === 'soak' ? 0.3 + (i % 7) / 10 : null)),
  };
  // Reports read the server and the timeline of a slice, and nothing else.
  return { round, target, timeline } as unknown as Slice;
}

/** Returns one drift of each verdict, independent of the made-up timeline. */
function driftOf(target: TargetName): Record<string, Drift> {
  const drift = (slope: number, tolerance: number, verdict: Drift['verdict']): Drift => ({
    slope_per_hour: verdict === 'not_enough_samples' ? null : slope,
    low: verdict === 'not_enough_samples' ? null : slope - tolerance / 4,
    high: verdict === 'not_enough_samples' ? null : slope + tolerance / 4,
    confidence: 0.95,
    samples: 600,
    tolerance_per_hour: tolerance,
    verdict,
  });
  return {
    rss_bytes: target === 'rs' ? drift(MIB, 8 * MIB, 'stable') : drift(31 * MIB, 8 * MIB, 'rising'),
    wal_bytes: drift(0, 16 * MIB, 'stable'),
    file_descriptors: drift(0, 10, 'stable'),
    lag_ms: target === 'rs' ? drift(0.1, 5, 'stable') : drift(0, 5, 'not_enough_samples'),
  };
}
