/** The settings that the fixture's two servers report, and the bulk insert times of their databases. */

import type { Random } from '@twin-ingest/testkit/random.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { summarise } from '../src/analyse/statistics.ts';
import type { Ceiling } from '../src/ceilings/ceiling.ts';
import type { CeilingSample } from '../src/ceilings/programs.ts';
import type { Result } from '../src/result/result.ts';
import type { Health } from '../src/verify/health.ts';

export function serversOf(): Result['servers'] {
  return {
    rs: {
      label: 'Rust (axum + tokio)',
      health: healthOf('rust', ['ENABLE_FTS5', 'THREADSAFE=1']),
      deployed: { own_bytes: 4_761_456, with_runtime_bytes: 4_761_456 },
    },
    ts: {
      label: 'TypeScript (Node.js)',
      health: healthOf('node', ['ENABLE_FTS5', 'THREADSAFE=2']),
      deployed: { own_bytes: 2_829_569, with_runtime_bytes: 129_425_009 },
    },
  };
}

function healthOf(runtime: string, compile_options: readonly string[]): Health {
  return {
    runtime,
    version: '0.1.0',
    contract: '1.0.0',
    durability: 'process',
    sqlite_version: '3.54.1',
    journal_mode: 'wal',
    synchronous: 'normal',
    compile_options,
    pragmas: { cache_size: -16_000, journal_mode: 'wal', page_size: 4096, synchronous: 1 },
  };
}

export function ceilingOf(durability: 'process' | 'power', group: number, random: Random): Ceiling {
  const base = { rs: group === 1 ? 62_000 : 128_000, ts: group === 1 ? 49_000 : 104_000 };
  const slow = durability === 'power' ? 0.55 : 1;
  const samplesOf = (target: TargetName): CeilingSample[] =>
    Array.from({ length: 3 }, () => {
      const duration_ms = (200_000 / (base[target] * slow)) * 1000 * (0.97 + random.next() * 0.06);
      return { target, events: 200_000, duration_ms, cpu_us: duration_ms * 960 };
    });
  const of = (samples: readonly CeilingSample[]) => ({
    events_per_s: summarise(samples.map((sample) => (sample.events / sample.duration_ms) * 1000))!,
    cpu_us_per_event: summarise(samples.map((sample) => sample.cpu_us / sample.events))!,
  });
  const rs = samplesOf('rs');
  const ts = samplesOf('ts');
  return {
    payload_sha256: '04a79e40093d907f0fd36314caf36fb22bd35541cf40abc80827432af26e739a',
    durability,
    group_events: group,
    samples: [...rs, ...ts],
    servers: { rs: of(rs), ts: of(ts) },
  };
}
