/**
 * A complete made-up result with every measurement, of realistic size, for the tests of reports.
 *
 * It depends only on its constants, not on a clock or on chance. The figures have no meaning, but two rules hold. Each
 * summary matches its rounds, and latencies come from histograms that can be decoded.
 */

import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { measurementOf, startupOf } from '../src/analyse/measurement.ts';
import { ADVICE } from '../src/analyse/warnings.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import type { Options } from '../src/plan/options.ts';
import { inTurn } from '../src/plan/plan.ts';
import type { Spec } from '../src/plan/spec.ts';
import { specsOf } from '../src/plan/suite.ts';
import { type RawMeasurement, type RawResult, type Result, SCHEMA_VERSION } from '../src/result/result.ts';
import { summaryOf } from '../src/result/summary.ts';
import { driftOf } from './report-fixture-drift.ts';
import { type Character, roundsOf } from './report-fixture-rounds.ts';
import { ceilingOf, serversOf } from './report-fixture-servers.ts';

const BATCH: Character = { rs: [73_000, 12.3, 16], ts: [60_000, 17.4, 22] };
const PLAIN: Character = { rs: [40_000, 24, 30], ts: [31_000, 33, 39] };

const at = (rate: number): Character => ({
  rs: [rate, 13, 1 + rate / 20_000],
  ts: [rate, 19, 1.5 + rate / 8_000],
});

/** Returns figures with this share of the throughput that each server has in `batch`. */
const share = (part: number): Character => ({
  rs: [730 * part, 12.6, 1.2 + part / 30],
  ts: [600 * part, 18, 1.8 + part / 15],
});

const CHARACTERS: Readonly<Record<string, Character>> = {
  batch: BATCH,
  autocannon: BATCH,
  corpus: { rs: [70_000, 12.9, 17], ts: [58_000, 18.1, 23] },
  single: { rs: [21_000, 38, 1.1], ts: [9_000, 105, 2.9] },
  power: { rs: [31_000, 14.2, 50], ts: [29_000, 20, 54] },
  stream: { rs: [10_000, 19, 1.4], ts: [10_000, 41, 2.6] },
  soak: { rs: [10_000, 16, 1.3], ts: [10_000, 30, 2.4] },
  plain_batch: PLAIN,
  plain_1000: at(1000),
  plain_10000: at(10_000),
  ...Object.fromEntries([25, 50, 75, 90].map((part) => [`open_${part}_percent`, share(part)])),
  ...Object.fromEntries([1000, 10_000, 30_000].map((rate) => [`open_${rate}`, at(rate)])),
};

/** Returns the measurements of the full comparison, also on real events, and of a soak. */
function specs(): Spec[] {
  const specsOfMode = (...argv: string[]) => {
    const { options } = parseOptions(argv) as { options: Options };
    return specsOf({ ...options, corpus: 'events.ndjson' }, { k6: true, wrk: true });
  };
  return [...specsOfMode('--mode=all'), ...specsOfMode('--mode=soak', '--duration=600')];
}

let made: RawResult | undefined;

/** Returns all measurements of a full run. All callers share one object. */
export function sampleReportResult(): RawResult {
  made ??= makeResult();
  return made;
}

/** Returns the same result without raw data, as the repository stores it. */
export function sampleSummary(): Result {
  return summaryOf(sampleReportResult(), { sha256: 'ab'.repeat(32), bytes: 3_000_000 });
}

function makeResult(): RawResult {
  const random = seededRandom(7);
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
    placement: {
      pinned: false,
      server_cpus: null,
      generator_cpus: null,
      reason: 'Not pinned: server and generator share 2 cores.',
    },
    servers: serversOf(),
    raw: null,
    ceilings: [
      ceilingOf('process', 50, random),
      ceilingOf('power', 50, random),
      ceilingOf('process', 1, random),
    ],
    measurements: [
      startup(random),
      ...specs().map((spec, i, all) => madeUp(spec, spec.group !== all[i - 1]?.group, random)),
    ],
    thresholds: [],
    warnings: [
      {
        code: 'shared_cores',
        message: 'Not pinned: server and generator share 2 cores.',
        ...ADVICE.shared_cores,
      },
    ],
  };
}

function startup(random: Random): RawMeasurement {
  const starts = (around: number) => Array.from({ length: 10 }, () => around * (0.95 + random.next() * 0.2));
  const found = new Map([
    ['rs', starts(8.4)],
    ['ts', starts(116)],
  ] as const);
  return startupOf(found, inTurn(TARGET_NAMES, 10));
}

function madeUp(spec: Spec, isFirst: boolean, random: Random): RawMeasurement {
  const open = spec.rate !== null;
  const measurement = measurementOf({
    spec,
    targets: TARGET_NAMES,
    driver: {
      name: open ? 'open-loop' : spec.driver,
      version: open ? '0.1.0' : '9.0.0',
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
    rounds: roundsOf({ spec, isFirst, character: CHARACTERS[spec.name]!, random }),
    ceiling: spec.ceiling ? (CEILINGS[spec.name] ?? 0) : null,
    generator_cores: 2,
  });
  const servers = Object.fromEntries(
    TARGET_NAMES.map((name) => [name, { ...measurement.servers[name]!, drift: driftOf(name) }]),
  );
  const warnings =
    spec.name === 'power'
      ? [
          {
            code: 'wide_interval',
            message: 'the ratio of throughput is known to ±24 %',
            ...ADVICE.wide_interval,
          } as const,
        ]
      : [];
  return { ...measurement, ...(spec.mode === 'soak' ? { servers } : {}), warnings };
}

/** Index of a measurement's ceiling, if it is not the first. */
const CEILINGS: Readonly<Record<string, number>> = { power: 1, single: 2 };
