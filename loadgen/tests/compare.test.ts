/** The whole comparison against small servers: what it writes, and that every fault of a server is caught. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { METRICS } from '../src/analyse/metrics.ts';
import { SCHEMA_FILE, violations } from '../src/result/json.ts';
import { measurementNamed, type Result } from '../src/result/result.ts';
import { type Run, runCompare } from './run-compare.ts';

const MAIN = fileURLToPath(new URL('./fake-main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-compare-'));
after(() => rmSync(folder, { recursive: true }));

const SMALL = ['--events=3000', '--warmup=500', '--rounds=2', '--starts=2', '--concurrency=4'];

/** One round of it. */
const ONE = ['--events=3000', '--warmup=500', '--rounds=1', '--starts=1', '--concurrency=4'];

/** Until a database in the run's folder has taken so much that a round must be under way. */
async function untilUnderLoad(own: string): Promise<void> {
  const underLoad = () =>
    readdirSync(own, { recursive: true, encoding: 'utf8' }).some((file) => {
      const size = statSync(join(own, file), { throwIfNoEntry: false })?.size ?? 0;
      return file.endsWith('-wal') && size > 1_000_000;
    });
  while (!underLoad()) await sleep(20);
}

const run = (
  argv: readonly string[],
  faults = '',
  during?: (own: string, pid: number) => Promise<void>,
): Promise<Run> => runCompare(folder, argv, { FAKE_FAULTS: faults }, during);

const out = join(folder, 'result.json');
const whole = await run([
  '--',
  ...SMALL,
  '--stream-clients=2',
  `--out=${out}`,
  '--threshold=rs.p99_ms<100000',
]);
const result = JSON.parse(readFileSync(out, 'utf8')) as Result;
const batch = measurementNamed(result, 'batch')!;

test('a comparison ends with 0, a table and nothing left behind', () => {
  assert.equal(whole.code, 0, whole.stderr);
  assert.deepEqual(whole.left, []);
  assert.match(
    whole.stderr,
    /^Measured starts per server: 2\..*\nEach cycle holds .*\nbatch: .*rounds: rs ts ts rs\n/,
  );
  for (const label of ['Throughput', 'Latency p99', 'Stream lag p99'])
    assert.ok(whole.stdout.includes(label), label);
});

test('its result follows the schema, and a changed one does not', async () => {
  assert.deepEqual(await violations(result), []);
  assert.deepEqual(await violations({ ...result, took_s: 'long' }), ['/took_s must be number']);
  const { measurements: _, ...without } = result;
  assert.deepEqual(await violations(without), ["/ must have required property 'measurements'"]);
});

test('every round is raw in the result: expected, acknowledged, stored and streamed agree', () => {
  assert.deepEqual(
    batch.rounds.map((sample) => sample.target),
    ['rs', 'ts', 'ts', 'rs'],
  );
  for (const { audit, measured, warm_up, stream } of batch.rounds) {
    assert.deepEqual(
      [audit.expected_events, audit.acknowledged_events, audit.stored_events],
      [3500, 3500, 3500],
    );
    assert.match(audit.stored_digest, /^[0-9a-f]{32}$/);
    assert.equal(audit.stored_digest, audit.expected_digest);
    assert.deepEqual([stream!.clients, stream!.complete_clients, stream!.frames], [2, 2, 7000]);
    assert.deepEqual([warm_up.sent.requests, measured.requests, measured.non_2xx], [10, 60, 0]);
    assert.ok(measured.latency!.p50_ms > 0 && measured.latency!.p50_ms <= measured.latency!.p99_ms);
    assert.ok(measured.generator_cpu_us > 0);
  }
  const startup = measurementNamed(result, 'startup')!;
  assert.equal(startup.servers.rs!.starts_ms!.length, 2);
  assert.equal(batch.servers.ts!.metrics.throughput_events_per_s!.samples, 2);
  assert.equal(batch.comparison!.throughput_events_per_s!.pairs.length, 2);
  assert.equal(batch.comparison!.throughput_events_per_s!.verdict, 'too_few_rounds');
});

test('CPU and memory are measured where the system reports them', {
  skip: process.platform !== 'linux' && 'proc(5) is Linux',
}, () => {
  for (const sample of batch.rounds) {
    assert.ok(sample.peak_rss_bytes! >= sample.idle_rss_bytes! && sample.idle_rss_bytes! > 1_000_000);
    assert.ok(sample.server_cpu_us! > 0);
    assert.ok(sample.machine.others_share! >= 0 && sample.machine.others_share! <= 1);
  }
});

test('both servers got the same bytes', () => {
  assert.equal(new Set(batch.rounds.map((sample) => sample.measured.sent_bytes)).size, 1);
});

test('a short run has its warnings, and no path of the machine', () => {
  const codes = batch.warnings.map((warning) => warning.code);
  assert.ok(codes.includes('few_rounds') && codes.includes('short_rounds'), codes.join());
  assert.ok(!JSON.stringify(result).includes(tmpdir()));
  assert.ok(result.flags.includes('--out=result.json'), result.flags.join(' '));
});

test('the report is written, and its path printed', () => {
  const [, path] = /^report: (.*)$/m.exec(whole.stderr)!;
  assert.match(readFileSync(path!, 'utf8'), /^<!doctype html>/i);
});

test('the schema lists the metrics of a measurement, and no others', () => {
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
  const keys = METRICS.filter((metric) => metric.from !== 'deployed').map((metric) => metric.key);
  for (const map of [
    schema.$defs.server_measurement.properties.metrics,
    schema.$defs.measurement.properties.comparison,
  ]) {
    assert.deepEqual(Object.keys(map.properties).toSorted(), keys.toSorted());
  }
});

test('every property of the schema is described, every number has a unit', () => {
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Record<string, unknown>;
  const missing: string[] = [];
  const walk = (path: string, node: Record<string, unknown>) => {
    const numeric = [node.type].flat().some((type) => type === 'number' || type === 'integer');
    if (node.description === undefined && node.$ref === undefined) missing.push(`${path} description`);
    if (numeric && node.unit === undefined && node.const === undefined) missing.push(`${path} unit`);
    for (const [key, child] of Object.entries(
      (node.properties ?? {}) as Record<string, Record<string, unknown>>,
    )) {
      walk(`${path}/${key}`, child);
    }
  };
  walk('', schema);
  for (const [name, child] of Object.entries(schema.$defs as Record<string, Record<string, unknown>>))
    walk(name, child);
  assert.deepEqual(missing, []);
});

test('one server alone is compared with nothing; a threshold that does not hold is exit 3, and the result is printed', async () => {
  const file = join(folder, 'alone.json');
  const alone = await run([...ONE, '--only=ts', '--json', '--threshold=ts.p99_ms<0.0001', `--out=${file}`]);
  assert.equal(alone.code, 3, alone.stderr);
  const printed = JSON.parse(alone.stdout) as Result;
  assert.deepEqual(printed, JSON.parse(readFileSync(file, 'utf8')));
  assert.deepEqual(await violations(printed), []);
  const measured = measurementNamed(printed, 'batch')!;
  assert.deepEqual(
    [measured.order, Object.keys(printed.servers), measured.comparison],
    [['ts'], ['ts'], undefined],
  );
  const [threshold] = printed.thresholds;
  assert.deepEqual([threshold!.condition, threshold!.found[0]!.holds], ['ts.p99_ms<0.0001', false]);
});

test('a wrong flag explains itself with 2, and nothing is started', async () => {
  const wrong = await run(['--evnts=3', '--rounds=x']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /unknown flag --evnts[\s\S]*--rounds must be an integer/);
});

test('a corpus that holds no events is reported before anything is started', async () => {
  const wrong = await run([...SMALL, `--corpus=${MAIN}`]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /corpus_unusable: line 1 of the corpus is not JSON/);
  assert.doesNotMatch(wrong.stderr, /smoke/);
});

// The audit has tests of its own; these are faults that end a run in its other parts.
for (const [fault, flags, code, text] of [
  ['rs:lose-one', ['--only=rs'], 'audit_failed', /expected 3500 events, acknowledged 3500, stored 3499/],
  ['ts:busy', ['--only=ts'], 'audit_failed', /503 x \d+/],
  ['ts:differs', [], 'parity_difference', /rs: 200 .*"tools":\[\]\}\n\s+ts: 200 .*"tools":null/],
  ['rs:durability', [], 'health_differs', /durability: rs power, ts process/],
  ['ts:dies', ['--only=ts'], 'server_failed', /ended under load \(code 3\)/],
] as const) {
  test(`a server with the fault "${fault}" fails the run and leaves no result`, async () => {
    const file = join(folder, `${fault.replace(':', '-')}.json`);
    const failed = await run([...ONE, ...flags, `--out=${file}`], fault);
    assert.equal(failed.code, 1, failed.stdout);
    assert.match(failed.stderr, new RegExp(`bench:compare: ${code}: `));
    assert.match(failed.stderr, text);
    assert.ok(!existsSync(file));
    assert.deepEqual(failed.left, []);
  });
}

test('two servers that both ignore the durability they are asked for have no result', async () => {
  const file = join(folder, 'never-power.json');
  const flags = [...ONE, '--durability=power', `--out=${file}`];
  const failed = await run(flags, 'rs:never-power,ts:never-power');
  assert.equal(failed.code, 1, failed.stdout);
  assert.match(failed.stderr, /health_differs: rs was asked for durability power\n\s+it runs with process/);
  assert.ok(!existsSync(file));
});

// A terminal sends the signal to the whole group, `kill` to the one process.
for (const [how, sign] of [
  ['Ctrl-C', -1],
  ['kill -INT', 1],
] as const) {
  test(`${how} in the middle of a round ends everything with 130`, async () => {
    const long = ['--events=400000', '--rounds=5', '--starts=1', '--warmup=0'];
    const stopped = await run(long, '', async (own, pid) => {
      await untilUnderLoad(own);
      process.kill(sign * pid, 'SIGINT');
    });
    assert.equal(stopped.code, 130, stopped.stderr);
    assert.match(stopped.stderr, /bench:compare: interrupted/);
    assert.deepEqual(stopped.left, [], 'its folders and processes are gone');
  });
}
