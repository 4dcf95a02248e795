/**
 * Tests the command line, and which measurements each mode has, in which order and size, and the path of its result.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { ENOUGH_FOR_VERDICT } from '../src/analyse/statistics.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import { flagsOf } from '../src/packaged/main.ts';
import { FLAG_ENTRIES } from '../src/plan/flags.ts';
import { parseCpuList } from '../src/plan/placement.ts';
import { makePlan } from '../src/plan/plan.ts';
import type { Options } from '../src/plan/spec.ts';
import { groupsOf } from '../src/plan/suite.ts';
import { partOf, portion, sizeOf } from '../src/run/round.ts';

const optionsOf = (...argv: string[]): Options => {
  const parsed = parseOptions(argv);
  assert.ok(parsed.kind === 'run', JSON.stringify(parsed));
  return parsed.options;
};
const planOf = (...argv: string[]) => makePlan(optionsOf(...argv), { k6: false, wrk: true });
const CORPUS = `--corpus=${import.meta.filename}`;

test('starts are spread over all rounds', () => {
  const portions = (count: number, cycles: number) =>
    Array.from({ length: cycles }, (_, cycle) => portion(count, cycle, cycles)).join('');
  assert.deepEqual([portions(10, 5), portions(3, 2), portions(1, 3)], ['22222', '12', '001']);
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
  assert.ok(planOf().estimated_s <= 270, String(planOf().estimated_s));
  const full = planOf('--mode=all').estimated_s;
  assert.ok(full <= 20 * 60, String(full));
});

test('each mode has its measurements, by group, and a picked share the closed loop that it is a share of', () => {
  const shares = [25, 50, 75, 90].map((share) => `open_${share}_percent`).join(' ');
  const full = `batch autocannon open_1000 open_10000 open_30000 ${shares}`;
  const plain = 'plain_batch plain_1000 plain_10000';
  for (const [line, ...wanted] of [
    ['--', 'batch open_1000 open_10000 open_75_percent'],
    ['--plain', 'batch open_1000 open_10000 open_75_percent', plain],
    [`--mode=all ${CORPUS}`, full, plain, 'corpus', 'single', 'power', 'stream'],
    ['--mode=all --pick=open_75_percent', 'batch open_75_percent'],
    ['--mode=all --pick=single,stream', 'single', 'stream'],
    ['--mode=open --rate=2000', 'open_2000'],
  ]) {
    const groups = groupsOf(planOf(...line!.split(' ')).specs);
    const names = groups.map((group) => group.map(({ name }) => name).join(' '));
    assert.deepEqual(names, wanted);
  }
});

test('the full comparison has both generators, the plain servers and more rounds of the headline', () => {
  const { specs } = planOf('--mode=all');
  const spec = (name: string) => specs.find((one) => one.name === name)!;
  assert.equal(spec('corpus'), undefined);
  assert.equal(spec('power').workload.durability, 'power');
  assert.equal(spec('stream').workload.stream_clients, 10);
  assert.deepEqual([spec('batch').driver, spec('autocannon').driver], ['wrk', 'autocannon']);
  assert.deepEqual([spec('batch').servers, spec('plain_batch').servers], ['product', 'plain']);
  const roundsOf = (...argv: string[]) =>
    groupsOf(planOf('--mode=all', ...argv).specs).map((group) => [
      ...new Set(group.map((one) => one.workload.rounds)),
    ]);
  assert.deepEqual(roundsOf(), [[6], [4], [4], [4], [4]], 'the headline has more rounds');
  assert.deepEqual(roundsOf('--rounds=5'), [[5], [5], [5], [5], [5]]);
  assert.equal(planOf('--mode=soak').specs[0]!.workload.duration_s, 1800);
});

test('generators that are not installed are replaced', () => {
  const { specs } = makePlan(optionsOf('--mode=all'), { k6: false, wrk: false });
  assert.equal(specs[0]!.driver, 'autocannon');
  assert.ok(!specs.some(({ name }) => name === 'autocannon'));
  const soakOf = (k6: boolean) => makePlan(optionsOf('--mode=soak'), { k6, wrk: true }).specs[0]!.driver;
  assert.deepEqual([soakOf(true), soakOf(false)], ['k6', 'open']);
});

test('a list of cores as the kernel writes it', () => {
  assert.deepEqual(parseCpuList('0-2,5,7-8'), [0, 1, 2, 5, 7, 8]);
});

test('the documented command line works as written, bare -- included, and all else has its default', () => {
  const all = optionsOf('--', '--events=20000', '--concurrency=40', '--batch-size=50', '--warmup=500');
  assert.deepEqual([all.events, all.concurrency, all.batchSize, all.warmup], [20_000, 40, 50, 500]);
  const { mode, rounds, durability, targets, noBuild } = all;
  assert.deepEqual([mode, rounds, durability, targets, noBuild], ['main', 4, 'process', ['rs', 'ts'], false]);
  const spaced = optionsOf('--events', '4000', '--only', 'ts');
  assert.deepEqual(spaced.targets, ['ts'], 'values may stand behind a space');
  const quick = optionsOf('--quick', '--rounds=4');
  assert.deepEqual([quick.rounds, quick.starts, quick.events], [4, 3, 200_000]);
  assert.equal(optionsOf('--quick', '--duration=3').events, undefined, 'a length replaces the events');
  assert.deepEqual(optionsOf('--mode=open', '--rate=2000,75%').rates, [
    { kind: 'fixed', events_per_s: 2000 },
    { kind: 'share', share: 0.75 },
  ]);
});

test('every wrong value or form, flag without a use, and contradiction is reported, and no default replaces it', () => {
  const soakRate = '--rate of a soak is one rate in events per second';
  for (const [line, ...wanted] of [
    [
      '--events=12x --rounds=0 --only=go --evnts=3 stray',
      '--events must be an integer from 1 to 100000000, not 12x',
      '--only must be one of rs, ts, not go',
      '--rounds must be an integer from 1 to 100, not 0',
      'unexpected argument stray',
      'unknown flag --evnts; --help lists all',
    ],
    ['--seed=1 --seed=1', '--seed is given twice'],
    ['--corpus', '--corpus needs a value'],
    ['--events --json', '--events needs a value'],
    ['--json=yes', '--json takes no value'],
    ['--corpus=/nowhere/events.ndjson', '--corpus /nowhere/events.ndjson does not exist'],
    ['--mode=batch --rate=2000', '--rate has no meaning with --mode=batch'],
    ['--mode=all --durability=power', '--durability has no meaning with --mode=all'],
    [
      '--events=20000 --duration=10',
      '--events and --duration both say how long a round is; give one of them',
    ],
    ['--mode=soak --rate=50% --pick=soak', soakRate],
    ['--mode=soak --rate=10000,50%', soakRate],
    [
      '--mode=open --rate=2000,50% --pick=open_2000,open_5000',
      '--pick names open_5000; --mode=open measures batch, open_2000, open_50_percent',
    ],
    ['--publish', '--publish has no meaning with --mode=main'],
    [
      '--mode=all --publish --rounds=3 --starts=9',
      '--publish needs --rounds of at least 4',
      '--publish needs --starts of at least 10',
    ],
    [
      '--mode=soak --publish --corpus=/dev/null',
      '--publish excludes --corpus: the committed soak has generated events',
    ],
    ...'--only=rs --no-build --quick --seed=2 --pick=batch --driver=wrk --events=20000 --duration=20 --out=r.json'
      .split(' ')
      .map((flag) => [
        `--mode=all --publish ${flag}`,
        `--publish excludes ${flag.split('=')[0]}: the committed result is of a default run`,
      ]),
    ['--mode=startup --pick=batch', '--pick names batch; --mode=startup measures nothing but starts'],
    ['--mode=open --rate=75%,02000,2000', '--rate names 2000 twice'],
    ...['0', '101%', '2k', '-5', '1e4'].map((rate) => [
      `--mode=open --rate=${rate}`,
      `--rate must be events per second or percent, as 2000,75%, not ${rate}`,
    ]),
  ]) {
    const parsed = parseOptions(line!.split(' '));
    assert.ok(parsed.kind === 'invalid', line);
    assert.deepEqual(parsed.problems.toSorted(), wanted);
  }
});

test('the help names every flag of the command with its default', () => {
  const parsed = parseOptions(['--help', '--events=wrong']);
  assert.ok(parsed.kind === 'help');
  for (const [name, flag] of FLAG_ENTRIES) {
    const line: string | undefined = new RegExp(`^  --${name}[ =].*`, 'm').exec(parsed.text)?.[0];
    assert.equal(line !== undefined, flag.commands.includes('compare'), name);
    if (line && flag.default !== undefined) assert.ok(line.endsWith(`[${flag.default}]`), line);
  }
});

test('the packaged bench has enough rounds for a verdict, takes two minutes, and passes its flags on', () => {
  const bench = { targets: TARGETS, only: null, rounds: undefined, events: undefined, json: false } as const;
  const { specs, estimated_s } = planOf(...flagsOf(bench));
  const found = specs.map(({ name, driver }) => `${name} ${driver}`);
  assert.deepEqual(found, ['batch autocannon', 'open_10000 open']);
  assert.ok(specs.every(({ workload }) => workload.rounds >= ENOUGH_FOR_VERDICT));
  assert.ok(estimated_s <= 130, `${estimated_s} s`);
  assert.deepEqual(optionsOf(...flagsOf(bench)).targets, ['rs', 'ts']);
  const given = optionsOf(...flagsOf({ ...bench, only: 'ts', rounds: '2', events: '2000', json: true }));
  assert.deepEqual([given.targets, given.rounds, given.events], [['ts'], 2, 2000]);
});
