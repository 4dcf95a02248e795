/** Tests the whole comparison with fake servers: its files, and that it detects every fault of a server. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { METRICS, throughput } from '../src/analyse/metrics.ts';
import { median } from '../src/analyse/statistics.ts';
import { rounded, SCHEMA_FILE, violations } from '../src/result/json.ts';
import { measurementNamed, type RawResult, type Result } from '../src/result/result.ts';
import { type RunProgress, runCompare } from './run-program.ts';

const MAIN = fileURLToPath(new URL('./fake-main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-compare-'));
after(() => rmSync(folder, { recursive: true }));

/** Two rounds, each with two slices of a hundred requests. */
const SMALL = [
  '--mode=batch',
  '--driver=autocannon',
  '--events=10000',
  '--warmup=500',
  '--rounds=2',
  '--starts=2',
  '--concurrency=4',
];

/** One round of one slice. */
const ONE = ['--mode=batch', '--events=3000', '--warmup=500', '--rounds=1', '--starts=1', '--concurrency=4'];

const run = (
  argv: readonly string[],
  faults = '',
  during?: (progress: RunProgress) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
) => runCompare(folder, argv, { FAKE_FAULTS: faults, ...env }, during);

const out = join(folder, 'result.json');
const whole = await run(['--', ...SMALL, '--stream-clients=2', `--out=${out}`]);
const result = JSON.parse(readFileSync(out, 'utf8')) as Result;
const rawText = readFileSync(join(whole.scratch, 'benchmark-raw.json'), 'utf8');
const batch = measurementNamed(result, 'batch')!;
const { slices, processes } = measurementNamed(JSON.parse(rawText) as RawResult, 'batch')!;

test('a comparison ends with 0 and a table, and leaves nothing behind', () => {
  assert.equal(whole.code, 0, whole.stderr);
  assert.deepEqual(whole.left, []);
  assert.match(
    whole.stderr,
    /^Measured starts per server: 2\..*\n2 rounds of batch: .*\nThis takes about \d+ s once built\.\n/,
  );
  for (const label of ['Throughput', 'Latency p99', 'Stream lag p99'])
    assert.ok(whole.stdout.includes(label), label);
});

test('a table follows each round on stderr, before the report on stdout', () => {
  const [first, second, ...rest] = whole.stderr.split(/^round 2 of 2, about .* left$/m);
  assert.deepEqual(rest, []);
  assert.match(first!, /│ Throughput/);
  assert.doesNotMatch(second!, /│ Throughput/);
  assert.match(whole.stdout, /│ Throughput/);
});

test('the summary follows the schema, and a changed one does not', async () => {
  assert.deepEqual(await violations(result), []);
  assert.deepEqual(await violations({ ...result, took_s: 'long' }), ['/took_s must be number']);
  const { measurements: _, ...without } = result;
  assert.deepEqual(await violations(without), ["/ must have required property 'measurements'"]);
});

test('the summary holds no slice, and the digest of the raw data', () => {
  assert.ok(!('slices' in batch) && !('processes' in batch));
  assert.deepEqual(result.raw, {
    sha256: createHash('sha256').update(rawText).digest('hex'),
    bytes: Buffer.byteLength(rawText),
  });
});

test('a run adds one line to the history', () => {
  const lines = readFileSync(join(whole.scratch, 'history.jsonl'), 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 1);
  const line = JSON.parse(lines[0]!);
  assert.equal(line.raw_sha256, result.raw!.sha256);
  assert.equal(
    line.measurements.batch.throughput_events_per_s.rs,
    batch.servers.rs!.metrics.throughput_events_per_s!.median,
  );
});

test('slices of a round go A B B A, and the second round begins with the other server', () => {
  const order = ['rs', 'ts', 'ts', 'rs', 'ts', 'rs', 'rs', 'ts'];
  assert.deepEqual(
    slices.map(({ target }) => target),
    order,
  );
  assert.deepEqual(batch.order, order);
  assert.deepEqual(
    slices.map(({ round }) => round),
    [1, 1, 1, 1, 2, 2, 2, 2],
  );
  const starts = slices.map(({ at_s }) => at_s);
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
  );
});

test('each slice has the same number of requests, and neighbours have the same bytes', () => {
  for (const { measured } of slices) {
    assert.deepEqual([measured.requests, measured.sent_events, measured.non_2xx], [100, 5000, 0]);
    assert.ok(measured.latency!.p50_ms > 0 && measured.latency!.p50_ms <= measured.latency!.p99_ms);
    assert.ok(measured.generator_cpu_us > 0);
  }
  const bytes = (target: string) =>
    slices.filter((slice) => slice.target === target).map(({ measured }) => measured.sent_bytes);
  assert.deepEqual(bytes('rs'), bytes('ts'));
});

test('no two slices of a process share an event: expected, acknowledged, stored and streamed agree', () => {
  assert.deepEqual(
    processes.map(({ target }) => target),
    ['rs', 'ts', 'ts', 'rs'],
  );
  for (const { audit, warm_up, stream } of processes) {
    assert.deepEqual(
      [audit.expected_events, audit.acknowledged_events, audit.stored_events],
      [10_500, 10_500, 10_500],
    );
    assert.match(audit.stored_digest, /^[0-9a-f]{32}$/);
    assert.equal(audit.stored_digest, audit.expected_digest);
    assert.deepEqual([stream!.clients, stream!.complete_clients, stream!.frames], [2, 2, 21_000]);
    assert.equal(warm_up.sent.requests, 10);
  }
  assert.equal(batch.audited_events, 4 * 10_500);
});

test('medians are of slices, the ratio of neighbours, and two rounds have no verdict', () => {
  const rates = (target: string) =>
    slices.filter((slice) => slice.target === target).map((slice) => throughput(slice));
  const { rs, ts } = batch.servers;
  const found = batch.comparison!.throughput_events_per_s!;
  assert.equal(rs!.metrics.throughput_events_per_s!.median, rounded(median(rates('rs'))!, 4));
  assert.equal(ts!.metrics.throughput_events_per_s!.samples, 4);
  const pairs = rates('rs').map((rate, i) => rate / rates('ts')[i]!);
  assert.equal(found.ratio, rounded(median(pairs)!, 4));
  assert.equal(found.verdict, 'too_few_rounds');
  assert.equal(found.split_half!.odd, rounded(median(pairs.slice(0, 2))!, 4));
  assert.equal(measurementNamed(result, 'startup')!.servers.rs!.starts_ms!.length, 2);
});

test('CPU and memory are measured where the system reports them', {
  skip: process.platform !== 'linux' && 'proc(5) is Linux',
}, () => {
  for (const { server_cpu_us, machine } of slices) {
    assert.ok(server_cpu_us! > 0);
    assert.ok(machine.others_share! >= 0 && machine.others_share! <= 1);
  }
  for (const { peak_rss_bytes, idle_rss_bytes } of processes)
    assert.ok(peak_rss_bytes! >= idle_rss_bytes! && idle_rss_bytes! > 1_000_000);
});

test('a short run has its warnings, and no path of the machine', () => {
  const codes = batch.warnings.map((warning) => warning.code);
  assert.ok(codes.includes('few_rounds') && codes.includes('short_load'), codes.join());
  assert.ok(!rawText.includes(tmpdir()));
  assert.ok(result.flags.includes('--out=result.json'), result.flags.join(' '));
});

test('the report is written, and its path printed', () => {
  const [, path] = /^report: (.*)$/m.exec(whole.stderr)!;
  assert.equal(path, join(whole.scratch, 'benchmark-report.html'));
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

test('one server alone has no ratio, and --json prints the summary', async () => {
  const file = join(folder, 'alone.json');
  const alone = await run([...ONE, '--only=ts', '--json', `--out=${file}`]);
  assert.equal(alone.code, 0, alone.stderr);
  const printed = JSON.parse(alone.stdout) as Result;
  assert.deepEqual(printed, JSON.parse(readFileSync(file, 'utf8')));
  assert.deepEqual(await violations(printed), []);
  const measured = measurementNamed(printed, 'batch')!;
  assert.deepEqual(
    [measured.order, Object.keys(printed.servers), measured.comparison],
    [['ts'], ['ts'], undefined],
  );
});

test('a wrong flag exits with 2 and its reason, before anything starts', async () => {
  const wrong = await run(['--evnts=3', '--rounds=x']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /unknown flag --evnts[\s\S]*--rounds must be an integer/);
});

test('a corpus without events is reported before anything starts', async () => {
  const wrong = await run([...SMALL, `--corpus=${MAIN}`]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /corpus_unusable: line 1 of the corpus is not JSON/);
  assert.doesNotMatch(wrong.stderr, /smoke/);
});

// audit.test.ts tests the faults that the audit detects. These faults end a run elsewhere.
for (const [fault, flags, code, text] of [
  ['rs:lose-one', ['--only=rs'], 'audit_failed', /expected 3500 events, acknowledged 3500, stored 3499/],
  ['ts:busy', ['--only=ts'], 'audit_failed', /503 x \d+/],
  ['ts:differs', [], 'parity_difference', /rs: 200 .*"tools":\[\]\}\n\s+ts: 200 .*"tools":null/],
  ['rs:durability', [], 'health_differs', /rs was asked for durability process\n\s+it runs with power/],
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

// A terminal sends the signal to the whole process group, `kill` to one process.
for (const [how, sign] of [
  ['Ctrl-C', -1],
  ['kill -INT', 1],
] as const) {
  test(`${how} in the second round prints what the first found, as partial, and exits with 130`, async () => {
    const file = join(folder, 'interrupted.json');
    const long = [
      '--mode=batch',
      '--events=10000',
      '--rounds=100',
      '--starts=1',
      '--warmup=0',
      `--out=${file}`,
    ];
    const stopped = await run(long, '', async ({ until, pid }) => {
      await until(/round 2 of 100/);
      process.kill(sign * pid, 'SIGINT');
    });
    assert.equal(stopped.code, 130, stopped.stderr);
    assert.match(stopped.stderr, /bench:compare: interrupted/);
    assert.match(
      stopped.stdout,
      /^PARTIAL: the run was interrupted, and no result was written\.\n[\s\S]*│ Throughput/,
    );
    assert.ok(!existsSync(file));
    assert.deepEqual(stopped.left, [], 'its folders and processes are gone');
  });
}
