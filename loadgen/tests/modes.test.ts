/** Every mode from the command line to its result, against small servers. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { throughput } from '../src/analyse/metrics.ts';
import { violations } from '../src/result/json.ts';
import { measurementNamed, type Result } from '../src/result/result.ts';
import { runCompare } from './run-compare.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-modes-'));
after(() => rmSync(folder, { recursive: true }));

let runs = 0;
async function resultOf(...flags: string[]): Promise<Result> {
  return (await resultAndSteps(...flags)).result;
}

/** The steps are the first words of each line of progress. */
async function resultAndSteps(...flags: string[]): Promise<{ result: Result; steps: string[] }> {
  const out = join(folder, `${runs++}.json`);
  const run = await runCompare(folder, [...flags, '--starts=3', `--out=${out}`], { K6_BIN: '/nowhere/k6' });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.left, []);
  const result = JSON.parse(readFileSync(out, 'utf8')) as Result;
  assert.deepEqual(await violations(result), []);
  const steps = run.stderr.split('\n').map((line) => line.split(': ', 1)[0]!);
  return { result, steps };
}

test('single events, on a database that already holds some', async () => {
  const result = await resultOf(
    '--mode=single',
    '--only=ts',
    '--events=400',
    '--warmup=50',
    '--rounds=1',
    '--preload=700',
  );
  const { rounds, workload } = measurementNamed(result, 'single')!;
  assert.equal(workload!.preload_events, 700);
  for (const { measured, audit, disk } of rounds) {
    assert.deepEqual([measured.requests, audit.stored_events, disk.events], [400, 450, 1150]);
  }
});

test('an open loop sends at a rate, and at a share of the closed loop of the same cycle', async () => {
  const { result, steps } = await resultAndSteps(
    ...['--mode=open', '--rate=20%,500', '--duration=1', '--rounds=1', '--batch-size=10'],
    ...['--events=2000', '--warmup=200', '--concurrency=4', '--ids=time'],
  );
  const names = ['batch', 'open_20_percent', 'open_500'];
  assert.deepEqual(
    steps.filter((step) => /^(starts|batch \d|open_\d+(_percent)? \d)/.test(step)),
    ['starts', ...names.flatMap((name) => [`${name} 1/2 rs`, `${name} 2/2 ts`])],
  );
  assert.deepEqual(measurementNamed(result, 'startup')!.order, ['rs', 'ts', 'ts', 'rs', 'rs', 'ts']);
  const closed = measurementNamed(result, 'batch')!;
  const share = measurementNamed(result, 'open_20_percent')!;
  assert.deepEqual(share.order, closed.order);
  for (const [i, { rate_events_per_s, measured }] of share.rounds.entries()) {
    assert.equal(rate_events_per_s, Math.round(throughput(closed.rounds[i]!) * 0.2));
    assert.ok(measured.latency!.samples === measured.requests && measured.send_delay !== null);
  }
  const { rate } = share.workload!;
  assert.ok(rate?.kind === 'share' && rate.events_per_s.rs === share.rounds[0]!.rate_events_per_s);
  const fixed = measurementNamed(result, 'open_500')!;
  assert.deepEqual(
    fixed.rounds.map((sample) => [sample.measured.requests, sample.measured.dropped_requests]),
    Array(2).fill([50, 0]),
  );
  assert.equal(fixed.driver!.latency_from, 'due');
});

test('a soak without k6 runs on the open loop and says so; three seconds are not enough samples', async () => {
  const result = await resultOf(
    '--mode=soak',
    '--only=rs',
    '--duration=3',
    '--rate=500',
    '--warmup=500',
    '--stream-clients=2',
  );
  const soak = measurementNamed(result, 'soak')!;
  assert.ok(soak.warnings.some((warning) => warning.code === 'no_k6'));
  for (const { timeline, stream, reader } of soak.rounds) {
    assert.ok(timeline.t_ms.length >= 2 && timeline.lag_ms.some((lag) => lag !== null));
    assert.deepEqual([stream!.complete_clients, reader!.failed], [2, 0]);
    assert.ok(reader!.requests > 0);
  }
  assert.equal(soak.servers.rs!.drift!.rss_bytes!.verdict, 'not_enough_samples');
});

test('a dashboard that is refused fails the soak', async () => {
  const flags = [
    '--mode=soak',
    '--only=ts',
    '--duration=2',
    '--rate=500',
    '--warmup=0',
    '--stream-clients=0',
  ];
  const run = await runCompare(folder, [...flags, '--starts=1'], { FAKE_FAULTS: 'ts:dashboard' });
  assert.equal(run.code, 1, run.stdout);
  assert.match(
    run.stderr,
    /reads_failed: round 1 of ts: \d+ of \d+ reads of the dashboard had no 200 in time/,
  );
});

test('with k6 a soak has no number of connections, and a flag for it is refused before anything runs', async () => {
  const k6 = join(folder, 'k6');
  writeFileSync(k6, '#!/bin/sh\necho "k6 v1.8.1 (go1.26.8, linux/amd64)"\n', { mode: 0o755 });
  const run = await runCompare(folder, ['--mode=soak', '--concurrency=10'], { K6_BIN: k6 });
  assert.equal(run.code, 2, run.stdout);
  assert.match(run.stderr, /--concurrency has no meaning with k6/);
  assert.doesNotMatch(run.stderr, /smoke/);
});
