/**
 * A result with every measurement, for the tests of reports: the committed comparison with the committed soak. Other
 * forms of it are small runs, one server, no differences, and markup in its texts.
 *
 * The repository keeps no raw data, so each slice has a made-up timeline.
 */
import { readFileSync } from 'node:fs';
import { ROOT, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Comparison } from '../src/analyse/statistics.ts';
import type { Slice } from '../src/observe/sample.ts';
import type { Measurement, RawMeasurement, RawResult, Result } from '../src/result/result.ts';

const read = (path: string) => JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8')) as Result;

/** Returns the committed comparison and the committed soak as one result. */
export function sampleSummary(): Result {
  const result = read('benchmark-results.json');
  const soaks = read('docs/suites/soak.json').measurements.filter(({ name }) => name === 'soak');
  return { ...result, measurements: [...result.measurements, ...soaks] };
}

/** Returns slices as reports read them: they use the server and the timeline, and nothing else. */
function slicesOf({ order }: Measurement, rss_bytes: readonly (number | null)[] = [6e7, 7e7, 8e7]): Slice[] {
  const timeline = { t_ms: rss_bytes.map((_, i) => 500 * i), rss_bytes };
  return order.map((target, i) => ({ target, timeline, round: 1, at_s: i }) as unknown as Slice);
}

const summary = sampleSummary();
export const FULL: RawResult = {
  ...summary,
  measurements: summary.measurements.map((one) => ({ ...one, slices: slicesOf(one), processes: [] })),
};

function changed(change: (measurement: RawMeasurement) => object): RawResult {
  const measurements = FULL.measurements.map((one) => ({ ...one, ...change(one) }) as RawMeasurement);
  return { ...FULL, measurements };
}

export function only(...names: readonly string[]): RawResult {
  return { ...FULL, measurements: FULL.measurements.filter(({ name }) => names.includes(name)) };
}

/** Returns a result with the same medians, in which every comparison has these ratios and this verdict. */
export function compared(change: Partial<Comparison>): RawResult {
  return changed(({ comparison = {} }) => {
    const all = Object.entries(comparison).map(([key, found]) => [key, found && { ...found, ...change }]);
    return { comparison: Object.fromEntries(all) };
  });
}

export const ALIKE = compared({ ratio: 1.01, low: 0.98, high: 1.04, verdict: 'no_difference' });
/** The servers have swapped their medians. */
export const SWAPPED = changed(({ servers: { rs, ts } }) => ({ servers: { rs: ts, ts: rs } }));

function alone(name: TargetName): RawResult {
  const one = changed(({ servers, slices }) => ({
    servers: { [name]: servers[name] },
    slices: slices.filter(({ target }) => target === name),
    comparison: {},
  }));
  return { ...one, servers: { [name]: FULL.servers[name]! } };
}

/** A result of a system that reports nothing about processes, with requests that were never answered. */
const UNMEASURED = changed((one) => {
  const metrics = { throughput_events_per_s: null, peak_rss_bytes: null, latency_p99_ms: null };
  return {
    servers: { rs: { metrics }, ts: { metrics } },
    comparison: metrics,
    slices: slicesOf(one, [null]),
  };
});

/** Forms of a result, each of which every report must show. */
export const SHAPES: Readonly<Record<string, RawResult>> = {
  'a full run': FULL,
  'a small run': only('startup', 'batch'),
  'nothing at all': only(),
  ...Object.fromEntries(FULL.measurements.map(({ name }) => [`${name} and nothing else`, only(name)])),
  'a run that could measure little': UNMEASURED,
  'Rust alone': alone('rs'),
  'TypeScript alone': alone('ts'),
  'no differences': ALIKE,
};

export const HOSTILE = '<img src=x onerror="document.title=1">|`*';

const TEXTS = ['title', 'label', 'message', 'reason', 'cpu_model', 'kernel'];

/** Returns a result with markup in every text. */
export function hostile(): RawResult {
  return JSON.parse(JSON.stringify({ ...FULL, flags: [HOSTILE] }), (key, value) =>
    TEXTS.includes(key) ? `${value} ${HOSTILE}` : value,
  );
}
