/**
 * Tests every mode from the command line to its result, against small servers. A slow server and a saturated generator
 * are detected, even on a busy machine; audit.test.ts tests a lost event.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { throughput } from '../src/analyse/metrics.ts';
import { median } from '../src/analyse/statistics.ts';
import { generateLines } from '../src/load/payload.ts';
import { headlineOf, measurementNamed, type RawMeasurement } from '../src/result/result.ts';
import { resultOf } from './run-program.ts';
import { folder } from './scratch.ts';

const SATURATED = fileURLToPath(new URL('./saturated-main.ts', import.meta.url));
/** A few events, since each process of a run makes all of them. */
const corpus = join(folder, 'events.ndjson');
writeFileSync(corpus, [...generateLines(1)].slice(0, 500).join('\n'));
const WARM_UP = 200;
const SMALL = ['--rounds=1', '--starts=3', '--events=2000', `--warmup=${WARM_UP}`, '--concurrency=4'];

test('open loops take place in the processes of the closed loop, at rates and at a share of its throughput', async () => {
  const flags = ['--mode=open', '--rate=20%,500', '--duration=1', '--batch-size=10'];
  const { result, raw, stderr } = await resultOf([...SMALL, ...flags]);
  // The first words of each line of progress.
  const steps = stderr.split('\n').map((line) => line.split(': ', 1)[0]!);
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
    assert.ok(measured.latency!.samples === measured.requests && measured.generator_delay !== null);
  }
  const { rate } = share.workload!;
  assert.ok(rate?.kind === 'share' && rate.events_per_s.rs === share.slices[0]!.rate_events_per_s);
  for (const { measured } of fixed.slices)
    assert.deepEqual([measured.requests, measured.dropped_requests], [50, 0]);
  assert.equal(fixed.driver!.latency_from, 'due');
  const sent = [closed, share, fixed].flatMap(({ slices }) => slices);
  for (const { target, audit } of closed.processes) {
    const own = sent.filter((slice) => slice.target === target);
    const events = own.reduce((sum, { measured }) => sum + measured.sent_events, WARM_UP);
    assert.equal(audit.events, events);
  }
});

test('--plain measures four servers with the same bytes, and the summary stays below 100 KB', async () => {
  const flags = [...SMALL, '--plain', '--pick=batch,plain_batch', '--batch-size=10'];
  const { result, raw } = await resultOf(flags);
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
  const load = ['--mode=soak', '--starts=1', '--rate=500', `--corpus=${corpus}`];
  const flags = [...load, '--only=rs', '--duration=3', '--warmup=50', '--stream-clients=2'];
  const { result, raw } = await resultOf(flags);
  const soak = measurementNamed(result, 'soak')!;
  assert.ok(soak.warnings.some((warning) => warning.code === 'no_k6'));
  const { slices, processes } = measurementNamed(raw, 'soak')!;
  const [{ timeline, reader }] = slices as [RawMeasurement['slices'][number]];
  assert.ok(timeline.t_ms.length >= 2 && timeline.lag_ms.some((lag) => lag !== null));
  assert.deepEqual([processes[0]!.stream!.clients, reader!.failed], [2, 0]);
  assert.ok(reader!.requests > 0);
  assert.equal(soak.servers.rs!.drift!.rss_bytes!.verdict, 'not_enough_samples');
});

test('a saturated generator has a warning, one server alone no ratio, and --json prints the summary', async () => {
  const flags = ['--mode=batch', '--events=5000', '--warmup=0', '--rounds=1', '--starts=1'];
  const { result, stdout } = await resultOf([...flags, '--only=ts', '--json'], { FAKE_GENERATOR: SATURATED });
  assert.deepEqual(JSON.parse(stdout), result);
  const { warnings, order, comparison } = measurementNamed(result, 'batch')!;
  const { message } = warnings.find(({ code }) => code === 'generator_saturated')!;
  assert.match(message, /the generator used \d+ % of a core/);
  assert.deepEqual([order, Object.keys(result.servers), comparison], [['ts'], ['ts'], undefined]);
});

test('a server that uses 200 µs more for each request is reported as slower', async () => {
  const flags = ['--mode=single', '--events=1000', '--warmup=200', '--concurrency=4', '--starts=1'];
  const { result, stdout } = await resultOf(flags, { FAKE_FAULTS: 'ts:slow' });
  const { comparison, workload } = measurementNamed(result, 'single')!;
  assert.equal(workload!.slices, 2);
  // Other programs take cores from a server, but hardly change its CPU time per event.
  const cpu = comparison!.server_cpu_us_per_event!;
  assert.equal(cpu.verdict, 'lower', JSON.stringify(cpu));
  assert.match(stdout, /Rust .*less CPU time on an event/);
});
