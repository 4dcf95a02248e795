/** Tests which measurements each mode has, in which order and size, and the path of its result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../src/cli/compare-command.ts';
import type { WarmUp } from '../src/observe/sample.ts';
import type { Options } from '../src/plan/options.ts';
import { parseCpuList } from '../src/plan/placement.ts';
import { COMMITTED_RESULT, describePlan, makePlan, SCRATCH_RESULT } from '../src/plan/plan.ts';
import { groupsOf } from '../src/plan/suite.ts';
import { inTurn } from '../src/plan/turns.ts';
import { portion } from '../src/run/cycles.ts';
import { partOf } from '../src/run/round.ts';
import { fasterPace, sizeOf } from '../src/run/sizes.ts';

const optionsOf = (...argv: string[]): Options => {
  const parsed = parseOptions(argv);
  assert.equal(parsed.kind, 'run', JSON.stringify(parsed));
  return (parsed as { options: Options }).options;
};
const planOf = (...argv: string[]) => makePlan(optionsOf(...argv), { k6: false, wrk: true });
const names = (...argv: string[]) => planOf(...argv).specs.map((spec) => spec.name);
const groups = (...argv: string[]) =>
  groupsOf(planOf(...argv).specs).map((group) => group.map(({ name }) => name));

test('slices go A B B A, so that each server is first as often as second', () => {
  assert.deepEqual(inTurn(['rs', 'ts'], 4), ['rs', 'ts', 'ts', 'rs', 'rs', 'ts', 'ts', 'rs']);
  assert.deepEqual(inTurn(['ts', 'rs'], 2), ['ts', 'rs', 'rs', 'ts']);
  assert.deepEqual(inTurn(['ts'], 2), ['ts', 'ts']);
});

test('starts are spread over all rounds', () => {
  for (const [count, ...portions] of [
    [10, 2, 2, 2, 2, 2],
    [3, 1, 2],
    [1, 0, 0, 1],
  ])
    assert.deepEqual(
      portions.map((_, cycle) => portion(count!, cycle, portions.length)),
      portions,
    );
});

test('the plan names each measurement, its rounds and the time that it takes', () => {
  const lines = describePlan(planOf(), optionsOf());
  assert.match(lines[1]!, /^4 rounds of batch: Batches of generated events/);
  assert.match(lines[2]!, /^ {2}then open_1000: Open loop at 1,000 events\/s/);
  assert.match(lines.join('\n'), /\nThis takes about \d+ min.* once built\.\n/);
});

const warmedAt = (...parts_events_per_s: number[]) => ({ parts_events_per_s }) as unknown as WarmUp;

test('the fastest part of any warm-up gives the pace', () => {
  assert.equal(fasterPace([warmedAt(90, 100), warmedAt(50, 130)]), 130);
  const whole = { sent: { received_events: 500, duration_ms: 250 }, parts_events_per_s: [] };
  assert.equal(fasterPace([whole as unknown as WarmUp, warmedAt(50)]), 2000);
});

test('a closed loop by duration has what the faster server takes in all slices, in whole requests', () => {
  const spec = (...argv: string[]) => planOf('--mode=batch', '--batch-size=50', ...argv).specs[0]!;
  const timed = spec('--duration=3');
  assert.equal(sizeOf(timed, 1001), 3050 * timed.workload.slices);
  const given = spec('--events=20000');
  assert.deepEqual([sizeOf(given, 1001), given.workload.slices], [20_000, 4]);
  assert.equal(spec('--events=2000').workload.slices, 1, 'a slice has a hundred requests');
  // The last slice has what is left of whole requests.
  const parts = [0, 1, 2, 3].map((part) => partOf(20_030, part, given));
  assert.deepEqual(parts, [5000, 5000, 5000, 5030]);
});

test('the default run and the full run stay below their goals by their own estimates', () => {
  assert.deepEqual(groups(), [['batch', 'open_1000', 'open_10000', 'open_75_percent']]);
  assert.ok(planOf().estimated_s <= 270, String(planOf().estimated_s));
  const full = planOf('--mode=all').estimated_s;
  assert.ok(full <= 20 * 60, String(full));
});

test('the full comparison measures every rate, both generators, the plain servers and single events', () => {
  const shares = [25, 50, 75, 90].map((share) => `open_${share}_percent`);
  const main = ['batch', 'autocannon', 'open_1000', 'open_10000', 'open_30000', ...shares];
  const plain = ['plain_batch', 'plain_1000', 'plain_10000'];
  assert.deepEqual(groups('--mode=all', `--corpus=${import.meta.filename}`), [
    main,
    plain,
    ...['corpus', 'single', 'power', 'stream'].map((name) => [name]),
  ]);
  assert.ok(!names('--mode=all').includes('corpus'));
  const spec = (name: string) => planOf('--mode=all').specs.find((one) => one.name === name)!;
  assert.equal(spec('power').workload.durability, 'power');
  assert.equal(spec('stream').workload.stream_clients, 10);
  assert.deepEqual([spec('batch').driver, spec('autocannon').driver], ['wrk', 'autocannon']);
  assert.deepEqual([spec('batch').servers, spec('plain_batch').servers], ['product', 'plain']);
  assert.equal(planOf('--mode=soak').specs[0]!.workload.duration_s, 1800);
});

test('generators that are not installed are replaced, and --plain adds the plain servers', () => {
  assert.deepEqual(groups('--plain').at(-1), ['plain_batch', 'plain_1000', 'plain_10000']);
  const { specs } = makePlan(optionsOf('--mode=all'), { k6: false, wrk: false });
  assert.equal(specs[0]!.driver, 'autocannon');
  assert.ok(!specs.some(({ name }) => name === 'autocannon'));
  assert.equal(planOf('--mode=soak').specs[0]!.driver, 'open');
});

test('a picked share brings the closed loop that it is a share of', () => {
  assert.deepEqual(names('--mode=all', '--pick=open_75_percent'), ['batch', 'open_75_percent']);
  assert.deepEqual(names('--mode=all', '--pick=stream'), ['stream']);
  assert.deepEqual(names('--mode=open', '--rate=2000'), ['open_2000']);
});

test('the committed result is replaced by a full run alone', () => {
  assert.equal(planOf().out, COMMITTED_RESULT);
  const flags =
    '--only=rs --rounds=3 --events=20000 --duration=20 --mode=single --no-build --starts=1 --driver=wrk ' +
    '--concurrency=1 --batch-size=1 --stream-clients=1 --warmup=0 --ids=time --seed=2 --durability=power';
  for (const flag of [...flags.split(' '), `--corpus=${import.meta.filename}`]) {
    const plan = planOf(flag);
    assert.equal(plan.out, SCRATCH_RESULT, flag);
    assert.equal(plan.outReasons.length, 1, flag);
  }
  assert.equal(planOf('--quick').out, SCRATCH_RESULT);
  assert.equal(planOf('--mode=all').out, COMMITTED_RESULT);
  assert.equal(planOf('--mode=all', `--corpus=${import.meta.filename}`).out, COMMITTED_RESULT);
  assert.equal(planOf('--mode=all', '--pick=single').out, SCRATCH_RESULT);
  assert.equal(planOf('--only=rs', '--out=/somewhere/r.json').out, '/somewhere/r.json');
});

test('a list of cores as the kernel writes it', () => {
  assert.deepEqual(parseCpuList('0-2,5,7-8'), [0, 1, 2, 5, 7, 8]);
});
