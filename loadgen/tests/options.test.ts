/** Tests the command line: the documented flags are accepted, and all problems are reported at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../src/cli/compare-command.ts';
import { FLAG_ENTRIES } from '../src/plan/flags.ts';
import type { Options } from '../src/plan/options.ts';
import { parseRates } from '../src/plan/rates.ts';

function options(argv: readonly string[]): Options {
  const parsed = parseOptions(argv);
  assert.equal(parsed.kind, 'run', JSON.stringify(parsed));
  return (parsed as { options: Options }).options;
}

function problems(argv: readonly string[]): readonly string[] {
  const parsed = parseOptions(argv);
  assert.equal(parsed.kind, 'invalid', JSON.stringify(parsed));
  return (parsed as { problems: readonly string[] }).problems;
}

test('the documented command line works as written, bare -- included, and all else has its default', () => {
  const all = options(['--', '--events=20000', '--concurrency=40', '--batch-size=50', '--warmup=500']);
  assert.deepEqual([all.events, all.concurrency, all.batchSize, all.warmup], [20_000, 40, 50, 500]);
  const { mode, rounds, durability, only, noBuild } = all;
  assert.deepEqual([mode, rounds, durability, only, noBuild], ['main', 4, 'process', undefined, false]);
  assert.equal(options([]).events, undefined);
  assert.equal(options(['--events', '4000', '--only', 'ts']).only, 'ts', 'values may stand behind a space');
  const quick = options(['--quick', '--rounds=4']);
  assert.deepEqual([quick.rounds, quick.starts, quick.events], [4, 3, 200_000]);
});

test('every problem is reported, and none replaced by a default', () => {
  const found = problems([
    '--events=12x',
    '--rounds=0',
    '--only=go',
    '--durability=none',
    '--evnts=3',
    'stray',
  ]);
  assert.deepEqual(found.toSorted(), [
    '--durability must be one of process, power, not none',
    '--events must be an integer from 1 to 100000000, not 12x',
    '--only must be one of rs, ts, not go',
    '--rounds must be an integer from 1 to 100, not 0',
    'unexpected argument stray',
    'unknown flag --evnts; --help lists all',
  ]);
});

test('a wrong form, a flag without a use, and flags that contradict each other are wrong', () => {
  for (const [argv, ...wanted] of [
    [['--seed=1', '--seed=1'], '--seed is given twice'],
    [['--corpus'], '--corpus needs a value'],
    [['--events', '--json'], '--events needs a value'],
    [['--json=yes'], '--json takes no value'],
    [
      ['--mode=batch', '--events=100'],
      '--events 100 in batches of 50 are 2 requests, fewer than --concurrency 40',
    ],
    [['--corpus=/nowhere/events.ndjson'], '--corpus /nowhere/events.ndjson does not exist'],
    [['--mode=batch', '--rate=2000'], '--rate has no meaning with --mode=batch'],
    [
      ['--mode=all', '--durability=power', '--stream-clients=3'],
      '--stream-clients has no meaning with --mode=all',
      '--durability has no meaning with --mode=all',
    ],
    [
      ['--events=20000', '--duration=10'],
      '--events and --duration both say how long a round is; give one of them',
    ],
    [['--mode=soak', '--rate=50%', '--pick=soak'], '--rate of a soak is one rate in events per second'],
    [['--mode=soak', '--rate=10000,50%'], '--rate of a soak is one rate in events per second'],
    [
      ['--mode=open', '--rate=2000,50%', '--pick=open_2000,open_5000'],
      '--pick names open_5000; --mode=open measures batch, open_2000, open_50_percent',
    ],
    [['--mode=startup', '--pick=batch'], '--pick names batch; --mode=startup measures nothing but starts'],
  ] as const)
    assert.deepEqual(problems(argv), wanted);
  assert.deepEqual(options(['--mode=all', '--pick=single,stream']).pick, ['single', 'stream']);
});

test('rates are events per second or shares, in their order', () => {
  assert.deepEqual(parseRates('2000,75%'), [
    { kind: 'fixed', events_per_s: 2000 },
    { kind: 'share', share: 0.75 },
  ]);
  assert.equal(parseRates('2000,75%,2000'), '--rate names 2000 twice');
  assert.equal(parseRates('75%,02000,2000,0075%'), '--rate names 2000 twice');
  for (const wrong of ['', '0', '101%', '2k', '2000,', '-5', '1e4']) {
    assert.match(String(parseRates(wrong)), /^--rate must be events per second or percent/, wrong);
  }
});

test('the help names every flag of the command with its default', () => {
  const parsed = parseOptions(['--help', '--events=wrong']);
  assert.equal(parsed.kind, 'help');
  const lines = (parsed as { text: string }).text.split('\n');
  for (const [name, flag] of FLAG_ENTRIES) {
    const line = lines.find((text) => new RegExp(`^  --${name}[ =]`).test(text));
    assert.equal(line !== undefined, flag.commands.includes('compare'), name);
    if (line === undefined) continue;
    if (flag.default !== undefined) assert.ok(line.endsWith(`[${flag.default}]`), line);
    assert.ok(line.length <= 170, line);
  }
});
