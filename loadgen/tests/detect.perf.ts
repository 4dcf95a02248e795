/**
 * A slowed server does not pass unseen. The verdict needs rounds that other programs do not disturb, so `pnpm test` does
 * not run it: `pnpm test:perf`.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { measurementNamed, type Result } from '../src/result/result.ts';
import { runCompare } from './run-compare.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-detect-'));
after(() => rmSync(folder, { recursive: true }));

test('a server that hides 200 µs a request is told apart', async () => {
  const out = join(folder, 'slow.json');
  const flags = ['--mode=single', '--events=3000', '--warmup=1000', '--starts=1', '--concurrency=4'];
  const run = await runCompare(folder, [...flags, `--out=${out}`], { FAKE_FAULTS: 'ts:slow' });
  assert.equal(run.code, 0, run.stderr);
  const { comparison } = measurementNamed(JSON.parse(readFileSync(out, 'utf8')) as Result, 'single')!;
  const cpu = comparison!.server_cpu_us_per_event!;
  assert.equal(cpu.verdict, 'lower', JSON.stringify(cpu));
  const throughput = comparison!.throughput_events_per_s!;
  assert.ok(throughput.ratio > 1, JSON.stringify(throughput));
  assert.match(run.stdout, /Rust .*less CPU time on an event/);
});
