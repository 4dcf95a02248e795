/**
 * Tests further modes from the command line to their results, against small servers. A slow server and a saturated
 * generator are detected, even on a busy machine; compare.test.ts tests a lost event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throughput } from '../src/analyse/metrics.ts';
import { median } from '../src/analyse/statistics.ts';
import { measurementNamed, type RawMeasurement } from '../src/result/result.ts';
import { resultOf } from './run-program.ts';

const WARM_UP = 200;

test('open loops take place in the processes of the closed loop, at rates and at a share of its throughput', async () => {
  const load = ['--mode=open', '--rate=20%,500', '--events=2000', '--duration=1', '--batch-size=10'];
  const size = ['--rounds=1', '--starts=3', `--warmup=${WARM_UP}`, '--concurrency=4'];
  const { result, raw, stderr } = await resultOf([...load, ...size]);
  // The first words of each line of progress.
  const steps = stderr.match(/^(starts|batch|open_)[^:]*/gm);
  assert.deepEqual(steps, ['starts', 'batch, round 1', 'open_20_percent, round 1', 'open_500, round 1']);
  assert.deepEqual(measurementNamed(result, 'startup')!.order, ['rs', 'ts', 'ts', 'rs', 'rs', 'ts']);
  const of = (name: string) => measurementNamed(raw, name)!;
  const [closed, share, fixed] = [of('batch'), of('open_20_percent'), of('open_500')] as const;
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

test('a soak of one server alone runs on the open loop without k6, and three seconds are not enough samples', async () => {
  const load = ['--mode=soak', '--starts=1', '--rate=500'];
  const flags = [...load, '--only=rs', '--duration=3', '--warmup=50', '--stream-clients=2', '--json'];
  const { result, raw, stdout } = await resultOf(flags);
  assert.deepEqual(JSON.parse(stdout), result, '--json prints the summary');
  const { warnings, servers, order, comparison } = measurementNamed(result, 'soak')!;
  assert.deepEqual([order, Object.keys(result.servers), comparison], [['rs'], ['rs'], undefined]);
  assert.ok(warnings.some((warning) => warning.code === 'no_k6'));
  const { slices, processes } = measurementNamed(raw, 'soak')!;
  const [{ timeline, reader }] = slices as [RawMeasurement['slices'][number]];
  assert.ok(timeline.t_ms.length >= 2 && timeline.lag_ms.some((lag) => lag !== null));
  assert.deepEqual([processes[0]!.stream!.clients, reader!.failed], [2, 0]);
  assert.ok(reader!.requests > 0);
  assert.equal(servers.rs!.drift!.rss_bytes!.verdict, 'not_enough_samples');
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

test('a saturated generator has a warning', async () => {
  const flags = ['--mode=batch', '--only=ts', '--events=5000', '--warmup=0', '--rounds=1', '--starts=1'];
  const { result } = await resultOf(flags, { FAKE_FAULTS: 'generator:saturated' });
  const { warnings } = measurementNamed(result, 'batch')!;
  const { message } = warnings.find(({ code }) => code === 'generator_saturated')!;
  assert.match(message, /the generator used \d+ % of a core/);
});
