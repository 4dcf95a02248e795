/**
 * What a made-up result says next to its figures: machine, events, and what the servers say of themselves.
 * See sample-result.ts.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { PoolFacts } from '../src/load/pool.ts';
import type { Environment } from '../src/observe/environment.ts';
import type { DeployedSize } from '../src/observe/size.ts';
import type { Health } from '../src/verify/health.ts';

export const PAYLOAD: PoolFacts = {
  source: 'generated',
  seed: 1,
  events: 20_000,
  sessions: 500,
  with_event_id: 20_000,
  bytes: 8_520_000,
  sha256: 'ab'.repeat(32),
  event_bytes: { p50: 380, p90: 610, p95: 760, p99: 1_400, max: 4_096, mean: 426 },
};

export const ENVIRONMENT: Environment = {
  cpu_model: 'Example CPU 3000',
  cpu_cores: 8,
  memory_bytes: 17_179_869_184,
  platform: 'linux',
  arch: 'x64',
  kernel: '6.12.0',
  database_file_system: 'ext4',
  load_average: [0.05, 0.1, 0.1],
  node_version: '24.19.0',
  rustc_version: 'rustc 1.92.0',
  commit: '1111111111111111111111111111111111111111',
  dirty: false,
};

export const LABELS: Readonly<Record<TargetName, string>> = {
  rs: 'Rust (axum + tokio)',
  ts: 'TypeScript (Node.js)',
};

export const DEPLOYED: Readonly<Record<TargetName, DeployedSize>> = {
  rs: { own_bytes: 6_291_456, with_runtime_bytes: 6_291_456 },
  ts: { own_bytes: 2_621_440, with_runtime_bytes: 123_731_968 },
};

export function sampleHealth(target: TargetName): Health {
  return {
    runtime: target === 'rs' ? 'rust' : 'node',
    version: '0.1.0',
    contract: '1.0.0',
    durability: 'process',
    sqlite_version: '3.50.4',
    journal_mode: 'wal',
    synchronous: 'NORMAL',
    compile_options: ['DEFAULT_CACHE_SIZE=-16000', 'THREADSAFE=1'],
    pragmas: { journal_mode: 'wal', page_size: 4_096, synchronous: 1 },
  };
}
