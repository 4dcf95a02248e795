/**
 * Tests that a slow server and a saturated generator are detected, even on a busy machine. audit.test.ts tests a lost
 * event.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { measurementNamed, type Result } from '../src/result/result.ts';
import { runCompare } from './run-program.ts';

const SATURATED = fileURLToPath(new URL('./saturated-main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-detect-'));
after(() => rmSync(folder, { recursive: true }));

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Result;

test('a saturated generator has a warning', async () => {
  const out = join(folder, 'saturated.json');
  const flags = ['--mode=batch', '--events=5000', '--warmup=0', '--rounds=1', '--starts=1', '--only=ts'];
  const run = await runCompare(folder, [...flags, `--out=${out}`], { FAKE_GENERATOR: SATURATED });
  assert.equal(run.code, 0, run.stderr);
  const { warnings } = measurementNamed(read(out), 'batch')!;
  assert.ok(
    warnings.some((warning) => warning.code === 'generator_saturated'),
    JSON.stringify(warnings),
  );
  assert.match(run.stdout, /the generator used \d+ % of a core/);
});

test('a server that uses 200 µs more for each request is reported as slower', async () => {
  const out = join(folder, 'slow.json');
  const flags = ['--mode=single', '--events=1000', '--warmup=200', '--starts=1', '--concurrency=4'];
  const run = await runCompare(folder, [...flags, `--out=${out}`], { FAKE_FAULTS: 'ts:slow' });
  assert.equal(run.code, 0, run.stderr);
  const { comparison, workload } = measurementNamed(read(out), 'single')!;
  assert.equal(workload!.slices, 2);
  // Other programs take cores from a server, but hardly change its CPU time per event.
  const cpu = comparison!.server_cpu_us_per_event!;
  assert.equal(cpu.verdict, 'lower', JSON.stringify(cpu));
  assert.match(run.stdout, /Rust .*less CPU time on an event/);
});
