/** Tests the whole comparison with fake servers: its files, and that it detects every fault of a server. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { throughput } from '../src/analyse/metrics.ts';
import { median } from '../src/analyse/statistics.ts';
import type { Slice } from '../src/observe/sample.ts';
import { rounded } from '../src/result/json.ts';
import { headlineOf, measurementNamed } from '../src/result/result.ts';
import { resultOf, runCompare } from './run-program.ts';
import { folder } from './scratch.ts';

const LOAD = ['--concurrency=4', '--driver=autocannon'];
/** Two rounds, each with two slices of a hundred requests. */
const SIZE = ['--warmup=500', '--events=10000', '--rounds=2', '--starts=2'];
const SMALL = [...LOAD, ...SIZE, '--plain', '--pick=batch,plain_batch'];
const ROUND = [...LOAD, '--mode=batch', '--rounds=1', '--starts=1'];
const BOTH = [...ROUND, '--warmup=500', '--events=3000'];
const ONE = [...BOTH, '--only=ts'];
/** Many events, which are small, so that storing and auditing them takes only seconds. */
const small = join(folder, 'small.ndjson');
writeFileSync(small, '{"session_id":"s","agent_type":"codex","event_type":"tool_use"}');
const LENGTH = ['--warmup=0', '--events=100000', '--batch-size=1000'];
const MANY = [...ROUND, ...LENGTH, '--only=rs', `--corpus=${small}`];

const whole = await resultOf(['--', ...SMALL, '--stream-clients=2']);
const { result, raw, rawText } = whole;
const batch = measurementNamed(result, 'batch')!;
const { slices, processes } = measurementNamed(raw, 'batch')!;
const of = (target: string) => slices.filter((slice) => slice.target === target);

test('a comparison says its plan, and prints a table after the first round and at its end', () => {
  assert.match(
    whole.stderr,
    /^Measured starts per server: 2\..*\n2 rounds of batch: .*\n2 rounds of plain_batch: .*\nThis takes about \d+ s once built\.\n/,
  );
  assert.match(whole.stdout, /│ Throughput[\s\S]*│ Stream lag p99/);
  const [first, second, ...rest] = whole.stderr.split(/^round 2 of 2, about .* left$/m);
  assert.deepEqual(rest, []);
  assert.match(first!, /│ Throughput/, 'a table follows the first round');
  assert.doesNotMatch(second!, /│ Throughput/);
});

test('a run leaves a summary, raw data with its digest, a line of history, and a report', () => {
  assert.ok(!('slices' in batch) && !('processes' in batch));
  assert.ok(JSON.stringify(result).length < 100_000);
  const [, path] = /^report: (.*)$/m.exec(whole.stderr)!;
  assert.equal(path, join(whole.scratch, 'benchmark-report.html'));
  const page = readFileSync(path!, 'utf8');
  assert.match(page, /^<!doctype html>/i);
  const [sha256, report_sha256] = [rawText, page].map((text) => hash('sha256', text));
  assert.deepEqual(result.raw, { sha256, bytes: Buffer.byteLength(rawText), report_sha256 });
  assert.ok(!rawText.includes(tmpdir()), 'no path of the machine');
  assert.ok(result.flags.includes('--out=result.json'), result.flags.join(' '));
  const history = JSON.parse(readFileSync(join(whole.scratch, 'history.jsonl'), 'utf8'));
  assert.equal(history.raw_sha256, sha256);
  const { median: own } = batch.servers.rs!.metrics.throughput_events_per_s!;
  assert.equal(history.measurements.batch.medians.rs.throughput_events_per_s, own);
});

test('slices go A B B A with the same bytes for both, and the second round begins with the other server', () => {
  const order = ['rs', 'ts', 'ts', 'rs', 'ts', 'rs', 'rs', 'ts'];
  for (const found of [slices.map(({ target }) => target), batch.order]) assert.deepEqual(found, order);
  assert.equal(slices.map(({ round }) => round).join(''), '11112222');
  assert.ok(slices.every(({ at_s }, i) => at_s > (slices[i - 1]?.at_s ?? 0)));
  for (const { measured } of slices) {
    assert.deepEqual([measured.requests, measured.sent_events, measured.non_2xx], [100, 5000, 0]);
    assert.ok(measured.latency!.p50_ms > 0 && measured.latency!.p50_ms <= measured.latency!.p99_ms);
    assert.ok(measured.generator_cpu_us > 0);
  }
  const bytes = (target: string) => of(target).map(({ measured }) => measured.sent_bytes);
  assert.deepEqual(bytes('rs'), bytes('ts'));
});

test('--plain measures two more servers with the same bytes', () => {
  assert.equal(
    result.measurements.map(({ name, contenders }) => `${name} ${contenders}`).join(', '),
    'startup product, batch product, plain_batch plain',
  );
  const bytes = (all: readonly Slice[]) => all.map(({ measured }) => measured.sent_bytes);
  assert.deepEqual(bytes(measurementNamed(raw, 'plain_batch')!.slices), bytes(slices));
});

test('no two slices of a process share an event: expected, acknowledged, stored and streamed agree', () => {
  assert.equal(processes.map(({ target }) => target).join(' '), 'rs ts ts rs');
  for (const { audit, stream } of processes) {
    assert.equal(audit.events, 10_500);
    assert.match(audit.digest, /^[0-9a-f]{32}$/);
    // The two clients report the delivery lag of the last slice.
    assert.deepEqual([stream!.clients, stream!.frames, stream!.lag!.samples], [2, 21_000, 10_000]);
    assert.ok(stream!.clients_cpu_us > 0);
  }
  assert.equal(batch.audited_events, 4 * 10_500);
});

test('medians are of slices, the ratio of neighbours, and two rounds have a warning and no verdict', () => {
  const { rs, ts } = batch.servers;
  const found = batch.comparison!.throughput_events_per_s!;
  const [own, others] = [of('rs').map(throughput), of('ts').map(throughput)];
  assert.equal(rs!.metrics.throughput_events_per_s!.median, rounded(median(own)!));
  assert.equal(ts!.metrics.throughput_events_per_s!.samples, 4);
  const { values, metrics } = headlineOf(raw)!.servers.rs!;
  const shown = values!.throughput_events_per_s!.flat();
  assert.deepEqual([shown.length, median(shown)], [4, metrics.throughput_events_per_s!.median]);
  const pairs = own.map((rate, i) => rate / others[i]!);
  assert.equal(found.ratio, rounded(median(pairs)!));
  assert.equal(found.split_half!.odd, rounded(median(pairs.slice(0, 2))!));
  assert.equal(found.verdict, 'too_few_rounds');
  const codes = batch.warnings.map((warning) => warning.code);
  assert.ok(codes.includes('few_rounds') && codes.includes('short_load'), codes.join());
  if (process.platform === 'linux') assert.ok(!codes.includes('resources_not_measured'));
  assert.equal(measurementNamed(result, 'startup')!.servers.rs!.starts_ms!.length, 2);
});

test('a wrong flag exits with 2, a corpus without events with 1, both before anything starts', async () => {
  const flag = await runCompare(['--evnts=3']);
  assert.equal(flag.code, 2);
  assert.match(flag.stderr, /unknown flag --evnts/);
  const corpus = await runCompare([...SMALL, `--corpus=${import.meta.filename}`]);
  assert.equal(corpus.code, 1);
  assert.match(corpus.stderr, /corpus_unusable: line 1 of the corpus: .* is not valid JSON/);
  assert.doesNotMatch(corpus.stderr, /smoke/);
});

// audit.test.ts tests further differences that the audit detects.
for (const [fault, flags, text] of [
  ['rs:lose-one', MANY, /audit_failed: .* acknowledged 100000, stored 99999;[\s\S]*: 1\n +index 998,/],
  ['ts:refuses', ONE, /audit_failed: [\s\S]*503 x \d+/],
  ['ts:differs', BOTH, /parity_difference: [\s\S]*rs: 200 .*"tools":\[.*\n\s+ts: 200 .*"tools":null/],
  ['ts:dies', ONE, /server_failed: .*ended under load \(code 3\)/],
  ['ts:never-power', [...ONE, '--durability=power'], /health_differs: [\s\S]*it runs with process/],
] as const) {
  test(`a server with the fault "${fault}" fails the run and leaves no result`, async () => {
    const file = join(folder, `${fault.replace(/\W/g, '-')}.json`);
    const failed = await runCompare([...flags, `--out=${file}`], { FAKE_FAULTS: fault });
    assert.equal(failed.code, 1, failed.stdout);
    assert.match(failed.stderr, new RegExp(`bench:compare: ${text.source}`));
    assert.ok(!existsSync(file));
    assert.deepEqual(failed.left, []);
  });
}

test('Ctrl-C in the first round prints what was measured so far, as partial, and exits with 130', async () => {
  const documented = ['--', '--events=20000', '--concurrency=40', '--batch-size=50'];
  const flags = [...documented, '--warmup=500', '--starts=1', `--corpus=${small}`];
  const stopped = await runCompare(flags, {}, /^batch, round 1: rs/m);
  assert.equal(stopped.code, 130, stopped.stderr);
  assert.match(stopped.stderr, /bench:compare: interrupted/);
  assert.match(
    stopped.stdout,
    /^PARTIAL: the run was interrupted.*not audited\.\n[\s\S]*│ Throughput .*\d\/s/,
  );
  assert.match(stopped.stderr, /^round 1 of 4, about \d+ min left$/m);
  assert.deepEqual([existsSync(stopped.scratch), stopped.changed], [false, ''], 'no file is written');
  assert.deepEqual(stopped.left, [], 'its folders and processes are gone');
});
