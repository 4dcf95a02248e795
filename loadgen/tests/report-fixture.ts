/**
 * A result with every measurement, for the tests of reports: the committed comparison with the committed soak. Other
 * forms of it are small runs, one server, swapped figures, no differences, and markup in its texts.
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

function withRaw(measurement: Measurement): RawMeasurement {
  const slices = measurement.workload === null ? [] : measurement.order.map(sliceOf);
  return { ...measurement, slices, processes: [] };
}

/** Returns a slice as reports read it: they use the server and the timeline, and nothing else. */
function sliceOf(target: TargetName): Slice {
  const rss = target === 'rs' ? 60e6 : 190e6;
  const timeline = { t_ms: [500, 1000, 1500], rss_bytes: [rss, rss * 1.1, rss * 1.2] };
  return { target, timeline } as unknown as Slice;
}

const summary = sampleSummary();
export const FULL: RawResult = { ...summary, measurements: summary.measurements.map(withRaw) };

export const HOSTILE = '<img src=x onerror="document.title=1">|`*';

/** Other forms of the full result, each of which every report must show. */
export const SHAPES: Readonly<Record<string, RawResult>> = {
  'a full run': FULL,
  'a small run': only(['startup', 'batch']),
  'starts alone in time': only(['startup']),
  'singles without starts': only(['single']),
  'an open loop': only(['open_1000']),
  'a soak': only(['soak']),
  'nothing at all': only([]),
  'a run that could measure little': unmeasured(),
  'Rust alone': alone('rs'),
  'TypeScript alone': alone('ts'),
  'no differences': alike(),
};

function changed(change: (measurement: RawMeasurement) => object): RawResult {
  const measurements = FULL.measurements.map((one) => ({ ...one, ...change(one) }) as RawMeasurement);
  return { ...FULL, measurements };
}

export function only(names: readonly string[]): RawResult {
  return { ...FULL, measurements: FULL.measurements.filter(({ name }) => names.includes(name)) };
}

/** Returns a result in which the servers have swapped their figures. */
export function swapped(): RawResult {
  const turned = { higher: 'lower', lower: 'higher' } as const;
  return changed(({ servers, comparison }) => ({
    servers: { rs: servers.ts, ts: servers.rs },
    comparison: compared(comparison, ({ ratio, low, high, verdict }) => ({
      ratio: 1 / ratio,
      low: 1 / high,
      high: 1 / low,
      verdict: turned[verdict as 'higher'] ?? verdict,
    })),
  }));
}

/** Returns a result with the same figures, in which no difference exceeds the noise. */
export function alike(): RawResult {
  const same = { ratio: 1.01, low: 0.98, high: 1.04, verdict: 'no_difference' } as const;
  return changed(({ comparison }) => ({ comparison: compared(comparison, () => same) }));
}

/** Returns a result with markup in every text. */
export function hostile(): RawResult {
  const warning = { code: 'wide_spread', message: HOSTILE } as const;
  const label = (name: TargetName) => ({ ...FULL.servers[name]!, label: `${name} ${HOSTILE}` });
  return {
    ...changed(({ title }) => ({ title: `${title} ${HOSTILE}`, warnings: [warning] })),
    flags: [HOSTILE],
    environment: { ...FULL.environment, cpu_model: HOSTILE, kernel: HOSTILE },
    placement: { ...FULL.placement, reason: HOSTILE },
    servers: { rs: label('rs'), ts: label('ts') },
    warnings: [warning],
  };
}

/** Returns a result of a system that reports nothing about processes, with requests that were never answered. */
function unmeasured(): RawResult {
  const nothing = { throughput_events_per_s: null, peak_rss_bytes: null, latency_p99_ms: null };
  return changed(({ slices }) => ({
    servers: { rs: { metrics: nothing }, ts: { metrics: nothing } },
    comparison: nothing,
    ceiling: null,
    slices: slices.map((slice) => ({ ...slice, timeline: { t_ms: [500], rss_bytes: [null] } })),
  }));
}

function alone(name: TargetName): RawResult {
  const one = changed(({ servers, slices }) => ({
    servers: { [name]: servers[name] },
    slices: slices.filter(({ target }) => target === name),
  }));
  const measurements = one.measurements.map(({ comparison: _, ...rest }) => rest);
  return { ...one, measurements, servers: { [name]: FULL.servers[name]! } };
}

function compared(
  comparison: Measurement['comparison'] = {},
  change: (found: Comparison) => Partial<Comparison>,
): Measurement['comparison'] {
  const all = Object.entries(comparison).map(([key, found]) => [
    key,
    found && { ...found, ...change(found) },
  ]);
  return Object.fromEntries(all);
}
