/**
 * Two results next to each other: what changed, what agrees, and every way to ask for it wrongly.
 *
 * Over 250 lines because every way in which two results can differ is reported in one place.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allowedByChance, diffResults, ratiosAgree } from '../src/analyse/diff.ts';
import type { FigureDiff } from '../src/analyse/diff-figures.ts';
import { type Comparison, compareRounds } from '../src/analyse/statistics.ts';
import { summaryLine, terminalDiff } from '../src/report/diff.ts';
import type { Result } from '../src/result/result.ts';
import { readResult } from '../src/result/result-file.ts';
import { sampleResult } from './sample-result.ts';

const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-diff-'));
after(() => rmSync(folder, { recursive: true }));

const A = sampleResult({ seed: 1 });
const B = sampleResult({ seed: 2, environment: { commit: '2'.repeat(40) } });
/** The Rust server takes half as long again. */
const SLOWED = sampleResult({ seed: 2, slower: { rs: 1.5 } });
const SAME = diffResults(A, B);
const SLOWER = diffResults(A, SLOWED);

function figure(figures: readonly FigureDiff[], measurement: string, server: 'rs' | 'ts', metric: string) {
  const found = figures.find(
    (one) => one.measurement === measurement && one.server === server && one.metric === metric,
  );
  assert.ok(found !== undefined, `${measurement} ${server} ${metric}`);
  return found;
}

test('two runs of the same servers agree in every ratio, and nothing is faster', () => {
  const { ratios, figures, summary, warnings } = SAME;
  assert.deepEqual(
    ratios.filter(({ agree }) => agree !== true),
    [],
  );
  assert.ok(summary.ratios > 40 && summary.ratios_agree === summary.ratios);
  assert.equal(summary.figures, figures.length - summary.figures_not_judged);
  const cpu = figure(figures, 'batch', 'rs', 'server_cpu_us_per_event');
  assert.deepEqual([cpu.verdict, cpu.intervals_overlap], ['no_difference', true]);
  assert.deepEqual(warnings, []);
});

test('a slowed server changes its own figures, by how much, and its ratios alone', () => {
  const { figures, ratios } = SLOWER;
  const slowed = figure(figures, 'batch', 'rs', 'throughput_events_per_s');
  const before = A.measurements[1]!.servers.rs!.metrics.throughput_events_per_s!.median;
  const now = SLOWED.measurements[1]!.servers.rs!.metrics.throughput_events_per_s!.median;
  assert.deepEqual([slowed.a.median, slowed.b.median, slowed.change], [before, now, now / before]);
  assert.ok(slowed.change_interval!.low > 0.6 && slowed.change_interval!.high < 0.75);
  assert.deepEqual([slowed.verdict, slowed.intervals_overlap], ['lower', false]);
  assert.equal(figure(figures, 'batch', 'rs', 'server_cpu_us_per_event').verdict, 'higher');
  assert.equal(figure(figures, 'batch', 'ts', 'throughput_events_per_s').verdict, 'no_difference');
  const disagree = ratios.filter(({ agree }) => agree === false);
  assert.ok(
    disagree.some(({ metric, measurement }) => metric === 'latency_p99_ms' && measurement === 'batch'),
  );
  assert.ok(!disagree.some(({ metric }) => metric === 'disk_bytes_per_event' || metric === 'start_ms'));
});

test('the larger noise floor of the two is the bar', () => {
  const { figures } = SAME;
  const floors = [A, B].map(
    (result) => result.measurements[1]!.comparison!.throughput_events_per_s!.noise_floor!,
  );
  assert.equal(figure(figures, 'batch', 'ts', 'throughput_events_per_s').noise_floor, Math.max(...floors));
});

test('ratios agree when each lies in the interval of the other, widened by the noise floor', () => {
  const made = (ratio: number, low: number, high: number, noise_floor: number | null): Comparison => ({
    ...compareRounds([1, 1, 1, 1, 1], [1, 1, 1, 1, 1], noise_floor)!,
    ratio,
    low,
    high,
  });
  assert.equal(ratiosAgree(made(2, 1.9, 2.1, 0), made(2.05, 1.95, 2.2, 0)), true);
  assert.equal(ratiosAgree(made(2, 1.9, 2.1, 0), made(2.15, 1.95, 2.2, 0)), false, 'one in, one out');
  assert.equal(ratiosAgree(made(2.15, 1.95, 2.2, 0), made(2, 1.9, 2.1, 0)), false, 'either way');
  assert.equal(ratiosAgree(made(2, 1.9, 2.1, 0.05), made(2.15, 1.95, 2.2, null)), true, 'widened');
  assert.equal(ratiosAgree(made(2, 1.9, 2.1, null), made(2.15, 1.95, 2.2, null)), false, 'unknown');
  const single = compareRounds([2], [1], null)!;
  assert.equal(ratiosAgree(single, made(2, 1.9, 2.1, 0)), null, 'a single round');
  const four = compareRounds([2, 2, 2, 2], [1, 1, 1, 1], null)!;
  assert.equal(ratiosAgree(four, made(2, 1.9, 2.1, 0)), null, 'fewer rounds than a verdict takes');
});

test('of the README none may disagree, of the others what chance leaves out in all but one pair of a hundred', () => {
  assert.deepEqual([1, 10, 100, 155, 1000].map(allowedByChance), [0, 1, 2, 3, 9]);
  assert.equal(SAME.summary.agree, true);
  /** B with other ratios, so that they disagree, in as many metrics of a measurement. */
  const off = (name: string, count: number): Result => ({
    ...B,
    measurements: B.measurements.map((one) => {
      if (one.name !== name) return one;
      const entries = Object.entries(one.comparison!).filter(([, found]) => found !== null);
      const wrong = entries.slice(0, count).map(([key, found]) => [key, tenfold(found!)] as const);
      return { ...one, comparison: { ...one.comparison, ...Object.fromEntries(wrong) } };
    }),
  });
  const tenfold = (found: Comparison): Comparison => ({
    ...found,
    ratio: found.ratio * 10,
    low: found.low * 10,
    high: found.high * 10,
  });
  const countsOf = (result: Result) => {
    const { headline_disagree, others_disagree, others_allowed, agree } = diffResults(A, result).summary;
    return { headline_disagree, others_disagree, others_allowed, agree };
  };
  const { others_allowed } = SAME.summary;
  const at = (headline_disagree: number, others_disagree: number, agree: boolean) => ({
    headline_disagree,
    others_disagree,
    others_allowed,
    agree,
  });
  assert.deepEqual(countsOf(off('batch', 1)), at(1, 0, false));
  assert.deepEqual(countsOf(off('startup', 1)), at(1, 0, false));
  assert.deepEqual(countsOf(off('single', others_allowed)), at(0, others_allowed, true));
  assert.deepEqual(countsOf(off('single', others_allowed + 1)), at(0, others_allowed + 1, false));
  assert.match(
    summaryLine(diffResults(A, off('batch', 1))),
    /^The runs do not agree: of the headline's ratios 1 /,
  );
});

test('sizes are counted: any change is one', () => {
  const grown = { ...A.servers.rs!, deployed: { own_bytes: 6_291_457, with_runtime_bytes: 6_291_456 } };
  const { figures } = diffResults(A, { ...A, servers: { ...A.servers, rs: grown } });
  assert.equal(figure(figures, 'deployed', 'rs', 'deployed_bytes').verdict, 'higher');
  assert.equal(figure(figures, 'deployed', 'rs', 'deployed_with_runtime_bytes').verdict, 'no_difference');
});

test('zeros on both sides are no difference, and few rounds have no verdict', () => {
  const zeros = figure(SAME.figures, 'batch', 'rs', 'failed_requests');
  assert.deepEqual([zeros.verdict, zeros.change, zeros.noise_floor], ['no_difference', null, 0]);
  const short = diffResults(sampleResult({ rounds: 1 }), B);
  const few = figure(short.figures, 'batch', 'rs', 'throughput_events_per_s');
  assert.deepEqual([few.verdict, few.a.interval, few.intervals_overlap], ['too_few_rounds', null, null]);
  assert.ok(short.summary.ratios_not_compared > 0);
  assert.match(summaryLine(short), /too few rounds to compare: \d+/);
});

test('at a share of its own throughput a server only repeats the rate, which is reported and not compared', () => {
  const atShare = (result: typeof A): typeof A => ({
    ...result,
    measurements: result.measurements.map((one) =>
      one.name === 'open_10000'
        ? { ...one, workload: { ...one.workload!, rate: { kind: 'share', share: 0.5, events_per_s: {} } } }
        : one,
    ),
  });
  const { ratios, summary } = diffResults(atShare(A), atShare(A));
  const repeating = ratios.filter(({ repeats_rate }) => repeats_rate).map(({ metric }) => metric);
  assert.deepEqual(repeating.toSorted(), ['disk_bytes_per_event', 'throughput_events_per_s']);
  assert.equal(summary.ratios_repeat_rate, 2);
  assert.equal(summary.ratios, SAME.summary.ratios - 2);
  assert.match(summaryLine(diffResults(atShare(A), atShare(A))), /; only repeat the rate: 2/);
});

test('a server measured alone has figures with a noise floor, and no ratios', () => {
  const { figures, ratios } = diffResults(
    sampleResult({ seed: 1, targets: ['rs'] }),
    sampleResult({ seed: 2, targets: ['rs'] }),
  );
  assert.deepEqual(ratios, []);
  assert.ok(figure(figures, 'batch', 'rs', 'throughput_events_per_s').noise_floor! > 0);
});

test('another machine, another load and a missing measurement are reported', () => {
  const other = sampleResult({ environment: { cpu_model: 'Another CPU', kernel: '6.13.0' } });
  const batch = other.measurements[1]!;
  const changed = {
    ...other,
    measurements: [
      { ...batch, workload: { ...batch.workload!, connections: 64, rounds: 7 } },
      { ...batch, name: 'power' },
    ],
  };
  const { warnings, facts } = diffResults(A, changed);
  assert.deepEqual(warnings, [
    'Measured on different machines: absolute figures cannot be compared.',
    'startup is in A alone.',
    'batch had another load: connections 40 in A, 64 in B.',
    'single is in A alone.',
    'open_10000 is in A alone.',
    'stream is in A alone.',
    'power is in B alone.',
  ]);
  assert.deepEqual(
    facts.filter(({ differs }) => differs).map(({ name }) => name),
    ['CPU', 'kernel'],
  );
  assert.deepEqual(diffResults(A, sampleResult({ environment: { kernel: '6.13.0' } })).warnings, []);
});

test('a server that ran with other pragmas or another build of SQLite is reported', () => {
  const { health, ...facts } = A.servers.rs!;
  const pragmas = { ...health.pragmas, cache_size: -4000, wal_autocheckpoint: 0 };
  const compile_options = ['ENABLE_FTS5', ...health.compile_options.slice(1)];
  const other = { ...facts, health: { ...health, pragmas, compile_options } };
  const before = { ...facts, health: { ...health, pragmas: { ...pragmas, cache_size: -2000 } } };
  const { warnings } = diffResults(
    { ...A, servers: { ...A.servers, rs: before } },
    { ...A, servers: { ...A.servers, rs: other } },
  );
  assert.deepEqual(warnings, [
    'rs had another pragma: cache_size -2000 in A, -4000 in B.',
    `rs had SQLite compiled with ${health.compile_options[0]} in A alone.`,
    'rs had SQLite compiled with ENABLE_FTS5 in B alone.',
  ]);
});

test('how many ratios agree is also counted without noise floors', () => {
  const { summary } = SAME;
  assert.ok(summary.ratios_agree_plainly <= summary.ratios_overlap);
  assert.ok(summary.ratios_overlap <= summary.ratios && summary.ratios_agree_plainly > 0);
  const twice = diffResults(A, A).summary;
  assert.deepEqual([twice.ratios_overlap, twice.ratios_agree_plainly], [twice.ratios, twice.ratios]);
});

test('the terminal shows every figure with its change', () => {
  const all = terminalDiff(SLOWER);
  assert.match(all, /Throughput .*\[.*\] .* −33\.6 \[−35\.0 – −32\.0\] % .*apart.*lower/);
  assert.match(all, /no difference/);
  assert.ok(all.trimEnd().endsWith(summaryLine(SLOWER)));
  assert.ok(!/NaN|undefined|Infinity/.test(all));
});

const MAIN = fileURLToPath(new URL('../src/cli/diff.ts', import.meta.url));

function run(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...argv], { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Two of the measurements say as much of the command line as all. */
function less(result: Result): Result {
  return { ...result, measurements: result.measurements.slice(0, 2) };
}

const FILES = {
  a: file('a.json', less(A)),
  slowed: file('slowed.json', less(SLOWED)),
};

test('differences are no failure unless agreement is required', () => {
  const required = run('--', FILES.a, FILES.slowed, '--require-agreement');
  assert.deepEqual([required.code, required.stderr], [3, 'The results do not agree.\n']);
  const plain = run(FILES.a, FILES.slowed, '--json');
  assert.equal(plain.code, 0);
  assert.deepEqual(JSON.parse(plain.stdout), JSON.parse(JSON.stringify(diffResults(less(A), less(SLOWED)))));
});

test('results without a ratio do not agree', () => {
  const { comparison: _, ...startup } = A.measurements[0]!;
  const alone = { ...A, measurements: [startup] };
  assert.equal(diffResults(alone, alone).summary.agree, false);
});

test('a file that is no result of this version is refused with a sentence', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [join(folder, 'none.json'), /none\.json cannot be read \(ENOENT\)/],
    [file('text.json', 'text'), /text\.json is no JSON/],
    [file('null.json', null), /null\.json is no result: it has no schema_version/],
    [file('old.json', { schema_version: 1 }), /result of version 1; only version 2 can be compared/],
    [file('empty.json', { schema_version: 2 }), /empty\.json does not follow the schema .* and \d+ more$/],
  ];
  for (const [path, sentence] of cases) assert.match(String(await readResult(path)), sentence);
  const both = run(join(folder, 'none.json'), file('text.json', 'text'));
  assert.deepEqual([both.code, both.stdout], [2, '']);
  assert.match(both.stderr, /^bench:diff: .*none\.json .*\nbench:diff: .*text\.json is no JSON\n$/);
});

test('the program reports every wrong flag, and ends in order when its reader leaves', () => {
  const wrong = run('--fast', '--json=yes', FILES.a);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  for (const problem of [/unknown flag --fast/, /--json takes no value/, /expected A\.json B\.json, got 1/])
    assert.match(wrong.stderr, problem);
  // `head` takes one line and leaves; more than a pipe holds is still to be written.
  const cut = spawnSync('sh', ['-c', '"$@" | head -n 1', 'sh', process.execPath, MAIN, FILES.a, FILES.a], {
    encoding: 'utf8',
  });
  assert.deepEqual([cut.status, cut.stderr, cut.stdout.split('\n').length], [0, '', 2]);
});
