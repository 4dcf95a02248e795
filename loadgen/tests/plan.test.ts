/** The order of rounds, and where the result goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../src/cli/compare-command.ts';
import type { Options } from '../src/plan/options.ts';
import { parseCpuList } from '../src/plan/placement.ts';
import { COMMITTED_RESULT, describePlan, makePlan, roundOrder, SCRATCH_RESULT } from '../src/plan/plan.ts';
import type { Spec } from '../src/plan/spec.ts';
import { cyclesOf, portion } from '../src/run/cycles.ts';
import { fasterPace, sizeOf } from '../src/run/trial.ts';
import { warmUpEvents } from '../src/run/warm-up.ts';

const planOf = (...argv: string[]) => {
  const parsed = parseOptions(argv);
  assert.equal(parsed.kind, 'run', JSON.stringify(parsed));
  return makePlan((parsed as { options: Options }).options, { k6: false });
};
const names = (...argv: string[]) => planOf(...argv).specs.map((spec) => spec.name);

test('rounds go A B B A, so that each is first as often as second', () => {
  assert.deepEqual(roundOrder(['rs', 'ts'], 4), ['rs', 'ts', 'ts', 'rs', 'rs', 'ts', 'ts', 'rs']);
  assert.deepEqual(roundOrder(['ts'], 2), ['ts', 'ts']);
});

test('what has fewer rounds has them in the last cycles; starts are spread over all', () => {
  const spec = (name: string, rounds: number) => ({ name, workload: { rounds } as Spec['workload'] });
  const found = cyclesOf([spec('batch', 3), spec('soak', 1), spec('open', 2)]);
  assert.deepEqual(
    found.map((cycle) => cycle.map(({ name }) => name)),
    [['batch'], ['batch', 'open'], ['batch', 'soak', 'open']],
  );
  assert.deepEqual(cyclesOf([]), [[]]);
  const portions = (count: number, cycles: number) =>
    Array.from({ length: cycles }, (_, cycle) => portion(count, cycle, cycles));
  assert.deepEqual(
    [portions(10, 5), portions(3, 2), portions(1, 3)],
    [
      [2, 2, 2, 2, 2],
      [1, 2],
      [0, 0, 1],
    ],
  );
});

test('a plan says what comes in the last cycle alone, and nothing of cycles where only starts are measured', () => {
  const cyclesLine = (...argv: string[]) => {
    const parsed = parseOptions(argv) as { options: Options };
    return describePlan(planOf(...argv), parsed.options).find((line) => line.startsWith('Each cycle'));
  };
  const everything = 'Each cycle holds a pair of rounds of everything below';
  assert.equal(cyclesLine(), `${everything}.`);
  assert.equal(cyclesLine('--mode=all'), `${everything}; soak in the last alone.`);
  assert.equal(cyclesLine('--mode=startup'), undefined);
});

test('a size follows from the quicker of two trials of the faster server', async () => {
  const paceOf = async (...found: number[]) => {
    const asked: string[] = [];
    const pace = await fasterPace(['rs', 'ts'], async (target) => {
      asked.push(target);
      return found[asked.length - 1]!;
    });
    return [pace, ...asked];
  };
  assert.deepEqual(await paceOf(100, 50, 130), [130, 'rs', 'ts', 'rs']);
  assert.deepEqual(await paceOf(100, 50, 80), [100, 'rs', 'ts', 'rs']);
  assert.deepEqual(await paceOf(50, 100, 110), [110, 'rs', 'ts', 'ts']);
});

test('a closed loop by duration has the events that the faster server takes, in whole requests', async () => {
  const sizes: unknown[] = [];
  const size = async (...argv: string[]) => {
    sizes.length = 0;
    return sizeOf(planOf(...argv).specs[0]!, ['rs', 'ts'], async (target, trial) => {
      sizes.push(trial);
      return target === 'rs' ? 1001 : 500;
    });
  };
  const given = ['--duration=3', '--warmup=200', '--batch-size=5', '--concurrency=4'];
  assert.deepEqual(await size(...given), { events: 3005, warmup_events: 200 });
  assert.deepEqual(sizes, Array(3).fill({ events: 210_000, warmup_events: 200 }));
  const unsized = await size('--duration=3', '--mode=single', '--concurrency=4');
  assert.deepEqual(unsized, { events: 3003, warmup_events: warmUpEvents(1001, 1) });
  assert.deepEqual(sizes[0], { events: 36_000, warmup_events: 60_000 });
  assert.deepEqual(await size('--events=20000'), { events: 20_000, warmup_events: 300_000 });
  assert.deepEqual(sizes, [], 'no trial where the number is given');
});

test('the default run stays under ten minutes by its own estimate', () => {
  const plan = planOf();
  assert.deepEqual(names(), ['batch']);
  assert.ok(plan.estimated_s < 600, String(plan.estimated_s));
});

test('the full comparison has everything that the seed left out', () => {
  const open = ['open_25_percent', 'open_50_percent', 'open_75_percent', 'open_90_percent'];
  const fixed = ['open_2000', 'open_10000', 'open_30000'];
  assert.deepEqual(names('--mode=all', `--corpus=${import.meta.filename}`), [
    ...['batch', 'short', 'corpus', 'single', ...open, ...fixed, 'power', 'stream', 'soak'],
  ]);
  assert.ok(!names('--mode=all').includes('corpus'));
  const plan = planOf('--mode=all');
  const seed = plan.specs.find((spec) => spec.name === 'short')!.workload;
  assert.deepEqual(
    [seed.events, seed.connections, seed.batch_size, seed.warmup_events],
    [20_000, 40, 50, 500],
  );
  assert.equal(plan.specs.find((spec) => spec.name === 'power')!.workload.durability, 'power');
  assert.equal(plan.specs.find((spec) => spec.name === 'stream')!.workload.stream_clients, 10);
  assert.equal(plan.specs.find((spec) => spec.name === 'soak')!.workload.duration_s, 600);
});

test('a picked share brings the closed loop that it is a share of', () => {
  assert.deepEqual(names('--mode=all', '--pick=open_75_percent'), ['batch', 'open_75_percent']);
  assert.deepEqual(names('--mode=all', '--pick=stream'), ['stream']);
  assert.deepEqual(names('--mode=open', '--rate=2000'), ['open_2000']);
});

test('without k6 the soak runs on the open loop', () => {
  assert.equal(planOf('--mode=soak').specs[0]!.driver, 'open');
});

test('the committed result is replaced by a full run alone', () => {
  assert.equal(planOf().out, COMMITTED_RESULT);
  for (const flag of [
    '--only=rs',
    '--rounds=4',
    '--events=20000',
    '--duration=20',
    '--mode=single',
    '--no-build',
    '--starts=1',
    '--driver=wrk',
    '--concurrency=1',
    '--batch-size=1',
    '--stream-clients=1',
    '--warmup=0',
    '--ids=time',
    '--payload=small',
    '--seed=2',
    '--preload=1000',
    '--durability=power',
    `--corpus=${import.meta.filename}`,
  ]) {
    const plan = planOf(flag);
    assert.equal(plan.out, SCRATCH_RESULT, flag);
    assert.equal(plan.outReasons.length, 1, flag);
  }
  assert.equal(planOf('--quick').out, SCRATCH_RESULT);
  assert.equal(planOf('--mode=all').out, COMMITTED_RESULT);
  assert.equal(planOf('--mode=all', `--corpus=${import.meta.filename}`).out, COMMITTED_RESULT);
  assert.equal(planOf('--mode=all', '--pick=short').out, SCRATCH_RESULT);
  assert.equal(planOf('--only=rs', '--out=/somewhere/r.json').out, '/somewhere/r.json');
});

test('a list of cores as the kernel writes it', () => {
  assert.deepEqual(parseCpuList('0-2,5,7-8'), [0, 1, 2, 5, 7, 8]);
});
