/** `pnpm bench:points` with small numbers against a real server, and its command line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { findWrk } from '../src/drivers/wrk-find.ts';
import type { Point } from '../src/points/point.ts';

const MAIN = fileURLToPath(new URL('../src/points-main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'loadgen-points-'));
after(() => rmSync(folder, { recursive: true }));

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = mkdtempSync(join(folder, 'run-'));
  const done = spawnSync(process.execPath, [MAIN, ...argv], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: own, ...env },
  });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr, left: readdirSync(own) };
}

function reasonToSkip(): string | false {
  if (process.platform !== 'linux') return 'memory is read from proc(5), which Linux alone has';
  if (!existsSync(TARGETS.rs.artefact)) return 'server-rs is not built';
  return findWrk() === null && 'wrk is not installed';
}

const ONCE = [
  'idle_rss_empty_bytes',
  'idle_rss_full_bytes',
  'peak_rss_seed_bytes',
  'peak_rss_load_bytes',
  'throughput_full_events_per_s',
  'throughput_empty_events_per_s',
  'throughput_grown_events_per_s',
  'growth_ratio',
  'reading_rate_events_per_s',
  'reads_late_p99_ms',
  'live_p50_ms',
  'live_p99_ms',
  'stats_p50_ms',
  'stats_p99_ms',
  'events_p50_ms',
  'events_p99_ms',
  'disk_bytes_beyond_metadata_per_event',
  'deployed_bytes',
  'deployed_with_runtime_bytes',
];

test('every point of one server is measured, and nothing is left behind', { skip: reasonToSkip() }, () => {
  const out = join(folder, 'points.json');
  const small = ['--events=2000', '--growth=4000', '--rounds=1', '--starts=2', '--seconds=1'];
  const done = run(['--', ...small, '--only=rs', '--idle-seconds=0', '--no-build', `--out=${out}`]);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(done.left, []);
  assert.match(done.stdout, /Throughput, grown over empty/);
  const text = readFileSync(out, 'utf8');
  assert.ok(!text.includes(folder), 'no folder of the machine');
  const result = JSON.parse(text) as { schema_version: number; points: Point[] };
  assert.equal(result.schema_version, 1);
  const counts = Object.fromEntries(
    result.points.map(({ name, servers }) => [name, servers.rs!.values.length]),
  );
  assert.deepEqual(counts, {
    start_empty_ms: 2,
    start_full_ms: 2,
    reads_failed: 1,
    ...Object.fromEntries(ONCE.map((name) => [name, 1])),
  });
  for (const { name, unit, title, servers } of result.points) {
    const { values, median, min, max } = servers.rs!;
    assert.ok(unit !== undefined && title !== '' && servers.ts === undefined, name);
    assert.ok(min <= median && median <= max && values.includes(max), name);
    if (name === 'reads_failed') assert.equal(max, 0);
    else assert.ok(min > 0, name);
  }
  const p99 = result.points.find(({ name }) => name === 'events_p99_ms')!;
  const paths = Object.entries(p99.paths!);
  assert.equal(paths.length, 11);
  assert.ok(paths.some(([path]) => path.endsWith('tool_name=rarer_tool')));
  assert.equal(Math.max(...paths.map(([, servers]) => servers.rs!.max)), p99.servers.rs!.max);
});

test('a wrong flag explains itself with 2, every problem at once', () => {
  const wrong = run(['--evnts=3', '--rounds=x', '--only=go', '--out']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /unknown flag --evnts; --help lists all\n.*--out needs a value\n/);
  assert.match(
    wrong.stderr,
    /--only must be one of rs, ts, not go\n.*--rounds must be an integer from 1 to 100/,
  );
});

test('without wrk it says so and ends with 1', {
  skip: process.platform !== 'linux' && 'Linux alone',
}, () => {
  const without = run([], { WRK_BIN: join(folder, 'none') });
  assert.equal(without.code, 1);
  assert.match(without.stderr, /generator_failed: wrk was not found/);
});
