/**
 * A made-up result part `sync` with a row of every scenario, of realistic size, for the tests of reports.
 *
 * It depends only on its constants, not on a clock or on chance. Every summary matches its values.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { createHistogram, latencyOf, record } from '../src/analyse/histogram.ts';
import { type FigureKey, FigureValues } from '../src/sync/figure.ts';
import { SWAPPED } from '../src/sync/goals.ts';
import type { Parameters, ScenarioName, SyncResult, SyncRow } from '../src/sync/result.ts';
import { FULL } from '../src/sync/sizes.ts';
import { STRATEGY_NAMES } from '../src/sync/strategies/strategy-labels.ts';
import { sampleReportResult } from './report-fixture.ts';

type Values = Readonly<Partial<Record<FigureKey, readonly number[]>>>;

function row(
  scenario: ScenarioName,
  server: TargetName,
  parameters: Parameters,
  found: Values,
  latency_ms: readonly number[] = [],
): SyncRow {
  const values = new FigureValues();
  for (const [key, list] of Object.entries(found)) for (const value of list) values.add({ [key]: value });
  const histogram = createHistogram();
  for (const ms of latency_ms) record(histogram, ms);
  const latency = latencyOf(histogram);
  if (latency === null) return { scenario, server, parameters, figures: values.all(), latency };
  const { histogram: _, ...percentiles } = latency;
  return { scenario, server, parameters, figures: values.all(), latency: percentiles };
}

/** Returns durations with a tail of a few in a thousand, as real ones have. */
function trips(median_ms: number): number[] {
  return Array.from(
    { length: 2000 },
    (_, i) => median_ms * (0.7 + (i % 100) / 150 + (i % 500 === 0 ? 4 : 0)),
  );
}

function rowsOf(server: TargetName): SyncRow[] {
  const slow = server === 'rs' ? 1 : 1.4;
  const burst = (strategy: string, load: string, concurrency: number, events: number): SyncRow => {
    const took = (load === 'one batch' ? 4 + events / 100 : 2 + events / (concurrency === 1 ? 4 : 20)) * slow;
    const fetches = strategy === 'push' ? 0 : strategy === 'fetch_each' ? events : Math.ceil(took / 16) + 1;
    const isSync = strategy === 'sync';
    return row(
      'bursts',
      server,
      { strategy, load, concurrency, events },
      {
        events: [events, events, events],
        fetches: [fetches, fetches + 1, fetches],
        reduction: [1 - fetches / events],
        end_to_end_ms: [took, took * 1.2, took * 1.1],
        staleness_max_ms: [took / 2, took / 3, took / 4],
        server_cpu_ms: [took * 0.8, took * 0.7, took * 0.9],
        rss_bytes: [21_000_000 * slow],
        ...(isSync ? { fetches_of_allowed: [fetches / (took / 16 + 2)] } : {}),
      },
    );
  };
  return [
    row('round_trip', server, { pace: 'throttle off, back to back', events: 2000 }, {}, trips(0.5 * slow)),
    ...STRATEGY_NAMES.flatMap((strategy) =>
      FULL.burst_events.flatMap((events) => [
        burst(strategy, 'one batch', 1, events),
        burst(strategy, 'singles', 1, events),
        burst(strategy, 'singles', 16, events),
      ]),
    ),
    ...[0, 100, 250].map((throttle_ms) =>
      row(
        'slider',
        server,
        { strategy: 'sync', throttle_ms },
        {
          fetches_per_s: [throttle_ms === 0 ? 59.2 : 990 / throttle_ms],
          first_apply_ms: [2.5],
          last_late_ms: [throttle_ms + 3],
        },
      ),
    ),
    row('payloads', server, { metadata_bytes: 10_000, events: 500 }, {}, trips(0.8 * slow)),
    ...FULL.fan_out_clients.map((clients) =>
      row(
        'fan_out',
        server,
        { clients, stalled: Math.floor(clients / 10), min_interval_ms: 100 },
        {
          ingest_events_per_s: [9_990, 9_980, 9_970],
          saturated_events_per_s: [90_000 / slow - clients * 20, 91_000 / slow - clients * 20],
          rss_bytes: [20_000_000 * slow + clients * 9000],
          ...(clients === 0 ? {} : { staleness_p99_ms: [100 + clients / 20, 102 + clients / 20] }),
        },
      ),
    ),
    row('full_stream', server, { clients: 10 }, { staleness_p99_ms: [12 * slow, 14 * slow] }),
    row('slow_client', server, { reads: '1 KB/s', topics: 16 }, { held_rss_bytes: [0, 4096] }),
    row('restart', server, { how: 'killed and started again' }, { recovery_ms: [420, 510], violations: [0] }),
    row('restart', server, { how: SWAPPED }, { recovery_ms: [520, 610], violations: [0], checked: [40] }),
    row('monotony', server, { how: 'in memory' }, { checked: [100_016], violations: [0] }),
    row(
      'monotony',
      server,
      { how: 'killed server', kills: 9, swaps: 6 },
      { checked: [380], violations: [0] },
    ),
    row(
      'page',
      server,
      { events: 1_000_000, load_events_per_s: 1000 },
      {
        open_ms: [180, 190, 210],
        renderer_cpu_share: [0.031],
      },
    ),
  ];
}

export function sampleSync(): SyncResult {
  const { environment, placement, servers } = sampleReportResult();
  return {
    schema_version: 1,
    created_at: '2026-03-02T10:00:00.000Z',
    took_s: 2400,
    flags: [],
    seed: 1,
    quick: false,
    environment: { ...environment, commit: 'c0ffee0000000000000000000000000000000000', dirty: false },
    placement,
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, { label, health }]) => [name, { label, health }]),
    ),
    rows: (['rs', 'ts'] as const).flatMap(rowsOf),
    skipped: [{ scenario: 'page', server: 'rs', reason: 'no Chromium: $CHROMIUM_BIN or chromium on PATH' }],
    warnings: [
      {
        code: 'wide_spread',
        limits: 'the median that is named',
        message: 'open_ms varied by up to 60 % in 1 of 2 cases',
        advice: 'Close other programs.',
        scenario: 'page',
      },
    ],
  };
}
