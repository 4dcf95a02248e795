/** A made-up result part `rpc` with a few rows of one server, for the tests of goals and reports. */
import type { Figures } from '../src/rpc/figure.ts';
import type { RpcResult, RpcRow } from '../src/rpc/result.ts';
import { ORIGINAL_TYPES } from '../src/rpc/values.ts';
import { sampleSync } from './sync-sample.ts';

const USUAL = { client: 'checked', format: 'json', in_flight: 1 };

export const rpcRow = (
  scenario: RpcRow['scenario'],
  parameters: RpcRow['parameters'],
  figures: RpcRow['figures'],
): RpcRow => ({ scenario, server: 'rs', parameters, figures });

const called = (calls_per_s: number, lib_us: number): Figures => ({
  calls: 400,
  samples: 40,
  calls_per_s,
  margin: 0.0125,
  mean_us: 1e6 / calls_per_s,
  p50_us: 90,
  p95_us: 120,
  p99_us: 200,
  lib_us,
  lib_sd_us: 2.5,
  lib_p50_us: lib_us,
  lib_p95_us: lib_us * 2,
  sent_bytes: 64,
  received_bytes: 1_234,
  server_cpu_us: 30,
});

export function sampleRpc(): RpcResult {
  const { environment, placement, servers } = sampleSync();
  const nested = { type: 'nestedDict', strings: 'identical' };
  const large = { ...nested, length: 100_000 };
  return {
    schema_version: 1,
    created_at: '2026-11-25T12:00:00.000Z',
    took_s: 250,
    flags: [],
    seed: 1,
    size: 'default',
    environment,
    placement,
    servers,
    rows: [
      ...ORIGINAL_TYPES.map((type, i) =>
        rpcRow('scalars', { type, strings: 'identical', ...USUAL }, called(10_000 - i * 600, 10)),
      ),
      rpcRow('scalars', { type: 'dict', strings: 'random', ...USUAL }, called(7_000, 12)),
      rpcRow('scalars', { type: 'long', ...USUAL, client: 'raw', in_flight: 8 }, called(20_000, 10)),
      rpcRow('sequences', { ...nested, length: 10_000, ...USUAL }, called(12.5, 40_000)),
      rpcRow('sequences', { ...nested, length: 10_000, ...USUAL, format: 'msgpack' }, called(25, 20_000)),
      rpcRow('reference', { ...nested, length: 10_000, what: 'server' }, called(12, 21_000)),
      rpcRow('reference', { ...nested, length: 10_000, what: 'bytes' }, { p50_us: 20_000, p95_us: 25_000 }),
      rpcRow(
        'large',
        { ...large, what: 'calls' },
        { ...called(1, 3e5), rss_before_bytes: 2e7, rss_peak_bytes: 3e8, rss_after_bytes: 2.5e7 },
      ),
      rpcRow('large', { ...large, what: 'livez, idle' }, { p50_us: 500, p99_us: 900, max_us: 1_000 }),
      rpcRow('large', { ...large, what: 'livez, meanwhile' }, { p50_us: 700, p99_us: 9_000, max_us: 12_340 }),
    ],
    warnings: [],
  };
}
