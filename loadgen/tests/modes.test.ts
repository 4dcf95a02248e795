/** Tests every mode from the command line to its result, against small servers. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { throughput } from '../src/analyse/metrics.ts';
import { median } from '../src/analyse/statistics.ts';
import { generateLines } from '../src/load/payload.ts';
import { violations } from '../src/result/json.ts';
import {
  headlineOf,
  measurementNamed,
  type RawMeasurement,
  type RawResult,
  type Result,
} from '../src/result/result.ts';
import { runCompare } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-modes-'));
after(() => rmSync(folder, { recursive: true }));

/** A path without a k6, so that the open loop drives the soak. */
const NO_K6 = '/nowhere/k6';
/** A few events, since each process of a run makes all of them. */
const corpus = join(folder, 'events.ndjson');
writeFileSync(corpus, [...generateLines(1)].slice(0, 500).join('\n'));
const SOAK = ['--mode=soak', '--rate=500', `--corpus=${corpus}`];
let runs = 0;
interface Found {
  readonly result: Result;
  readonly raw: RawResult;
  /** The first words of each line of progress. */
  readonly steps: readonly string[];
}

async function resultOf(...flags: string[]): Promise<Found> {
  const out = join(folder, `${runs++}.json`);
  const run = await runCompare(folder, [...flags, '--starts=3', `--out=${out}`], { K6_BIN: NO_K6 });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.left, []);
  const result = JSON.parse(readFileSync(out, 'utf8')) as Result;
  assert.deepEqual(await violations(result), []);
  const raw = JSON.parse(readFileSync(join(run.scratch, 'benchmark-raw.json'), 'utf8')) as RawResult;
  const steps = run.stderr.split('\n').map((line) => line.split(': ', 1)[0]!);
  return { result, raw, steps };
}

const SMALL = ['--rounds=1', '--events=2000', '--warmup=200', '--concurrency=4'];

test('open loops take place in the processes of the closed loop, at rates and at a share of its throughput', async () => {
  const { result, raw, steps } = await resultOf(
    ...SMALL,
    ...['--mode=open', '--rate=20%,500', '--duration=1', '--batch-size=10', '--ids=time'],
  );
  assert.deepEqual(
    steps.filter((step) => /^(starts|batch|open_)/.test(step)),
    ['starts', 'batch, round 1', 'open_20_percent, round 1', 'open_500, round 1'],
  );
  assert.deepEqual(measurementNamed(result, 'startup')!.order, ['rs', 'ts', 'ts', 'rs', 'rs', 'ts']);
  const [closed, share, fixed] = ['batch', 'open_20_percent', 'open_500'].map(
    (name) => measurementNamed(raw, name)!,
  ) as [RawMeasurement, RawMeasurement, RawMeasurement];
  assert.deepEqual([closed.processes.length, share.processes.length, fixed.processes.length], [2, 0, 0]);
  for (const { target, round, rate_events_per_s, measured } of share.slices) {
    const own = closed.slices.filter((slice) => slice.target === target && slice.round === round);
    assert.equal(rate_events_per_s, Math.round(median(own.map(throughput))! * 0.2));
    assert.ok(measured.latency!.samples === measured.requests && measured.send_delay !== null);
  }
  const { rate } = share.workload!;
  assert.ok(rate?.kind === 'share' && rate.events_per_s.rs === share.slices[0]!.rate_events_per_s);
  for (const { measured } of fixed.slices)
    assert.deepEqual([measured.requests, measured.dropped_requests], [50, 0]);
  assert.equal(fixed.driver!.latency_from, 'due');
  const sent = [closed, share, fixed].flatMap(({ slices }) => slices);
  for (const { target, audit, warm_up } of closed.processes) {
    const own = sent.filter((slice) => slice.target === target);
    const events = own.reduce((sum, { measured }) => sum + measured.sent_events, warm_up.sent.sent_events);
    assert.deepEqual([audit.expected_events, audit.stored_events], [events, events]);
  }
});

test('--plain measures four servers with the same bytes, and the summary stays below 100 KB', async () => {
  const { result, raw } = await resultOf(...SMALL, '--plain', '--pick=batch,plain_batch', '--batch-size=10');
  assert.equal(
    result.measurements.map(({ name, contenders }) => `${name} ${contenders}`).join(', '),
    'startup product, batch product, plain_batch plain',
  );
  const bytes = (name: string, own: string) =>
    measurementNamed(raw, name)!
      .slices.filter(({ target }) => target === own)
      .map(({ measured }) => measured.sent_bytes);
  for (const name of ['batch', 'plain_batch'])
    for (const own of ['rs', 'ts']) assert.deepEqual(bytes(name, own), bytes('batch', 'rs'));
  const headline = headlineOf(raw)!;
  for (const name of ['rs', 'ts'] as const) {
    const { values, metrics } = headline.servers[name]!;
    const shown = values!.throughput_events_per_s!.flat();
    assert.deepEqual([shown.length, median(shown)], [2, metrics.throughput_events_per_s!.median]);
  }
  assert.ok(JSON.stringify(result).length < 100_000);
});

test('a soak without k6 runs on the open loop and reports it; three seconds are not enough samples', async () => {
  const flags = ['--only=rs', '--duration=3', '--warmup=50', '--stream-clients=2'];
  const { result, raw } = await resultOf(...SOAK, ...flags);
  const soak = measurementNamed(result, 'soak')!;
  assert.ok(soak.warnings.some((warning) => warning.code === 'no_k6'));
  const { slices, processes } = measurementNamed(raw, 'soak')!;
  const [{ timeline, reader }] = slices as [RawMeasurement['slices'][number]];
  assert.ok(timeline.t_ms.length >= 2 && timeline.lag_ms.some((lag) => lag !== null));
  assert.deepEqual([processes[0]!.stream!.complete_clients, reader!.failed], [2, 0]);
  assert.ok(reader!.requests > 0);
  assert.equal(soak.servers.rs!.drift!.rss_bytes!.verdict, 'not_enough_samples');
});

test('a soak fails when the server refuses the reads of the dashboard', async () => {
  const flags = [...SOAK, '--only=ts', '--duration=1', '--warmup=0', '--stream-clients=0', '--starts=1'];
  const run = await runCompare(folder, flags, { FAKE_FAULTS: 'ts:dashboard', K6_BIN: NO_K6 });
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
