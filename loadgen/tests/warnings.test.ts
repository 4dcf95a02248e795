/** Each reason to distrust appears when its cause does, and a sound run has none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SCHEMA_FILE } from '../src/export/json.ts';
import type { Sample } from '../src/sample.ts';
import { type Grounds, reasonsToDistrust, type WarningCode } from '../src/warnings.ts';

const SENT = {
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
  status_codes: { '201': 10_000 },
  latency: null,
  acknowledged_per_second: [],
  generator_cpu_us: 2_000_000,
};

function sample(measured: Partial<Sample['measured']> = {}, cpu: number | null = 1): Sample {
  return {
    round: 1,
    target: 'rs',
    warm_up: SENT,
    measured: { ...SENT, ...measured },
    server_cpu_us: cpu,
    idle_rss_bytes: 1,
    peak_rss_bytes: 1,
    stop_ms: 1,
    disk: { bytes: 1 },
    audit: {
      expected_events: 1,
      acknowledged_events: 1,
      stored_events: 1,
      expected_event_ids: 1,
      stored_event_ids: 1,
    },
    health: {
      runtime: 'rust',
      version: '0',
      contract: '1',
      durability: 'process',
      sqlite_version: '3',
      journal_mode: 'wal',
      synchronous: 'NORMAL',
    },
  };
}

function grounds(
  changed: { samples?: Sample[]; load?: number; pinned?: boolean; stale?: string[] } = {},
): Grounds {
  const {
    samples = Array.from({ length: 5 }, () => sample()),
    load = 0.1,
    pinned = true,
    stale = [],
  } = changed;
  return {
    plan: {
      targets: ['rs'],
      order: [],
      placement: { pinned, server_cpus: null, generator_cpus: null, reason: 'because' },
      estimated_s: 1,
      out: '',
      outReasons: [],
    },
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
      dirty: null,
    },
    samples,
    stale,
  };
}

test('a sound run has no reason', () => {
  assert.deepEqual(reasonsToDistrust(grounds()), []);
});

const five = (measured: Partial<Sample['measured']>) => Array.from({ length: 5 }, () => sample(measured));
const causes: Readonly<Record<WarningCode, Grounds>> = {
  generator_saturated: grounds({ samples: five({ generator_cpu_us: 10_300_000 }) }),
  few_rounds: grounds({ samples: [sample(), sample()] }),
  high_spread: grounds({ samples: [...five({}), sample({ duration_ms: 16_000 })] }),
  machine_busy: grounds({ load: 1.1 }),
  short_rounds: grounds({ samples: five({ duration_ms: 9_999 }) }),
  shared_cores: grounds({ pinned: false }),
  stale_build: grounds({ stale: ['rs'] }),
  resources_not_measured: grounds({ samples: [...five({}).slice(1), sample({}, null)] }),
};

for (const [code, cause] of Object.entries(causes)) {
  test(`${code} is told when its cause is there, with advice`, () => {
    const found = reasonsToDistrust(cause);
    assert.deepEqual(
      found.map((warning) => warning.code),
      [code],
    );
    assert.ok(found[0]!.advice.length > 0 && found[0]!.message.length > 0);
  });
}

test('the schema knows the same list', () => {
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
  const codes = schema.properties.warnings.items.properties.code.enum as string[];
  assert.deepEqual(codes.toSorted(), Object.keys(causes).toSorted());
});
