/** The whole comparison against small servers: what it writes, and that every fault of a server is caught. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SCHEMA_FILE, violations } from '../src/export/json.ts';
import { readmeTable } from '../src/export/markdown.ts';
import { METRICS } from '../src/metrics.ts';
import type { Result } from '../src/result.ts';

const MAIN = fileURLToPath(new URL('./fake-main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-compare-'));
after(() => rmSync(folder, { recursive: true }));

const SMALL = ['--events=3000', '--warmup=500', '--rounds=2', '--starts=2', '--concurrency=4'];

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the run left in its own temporary folder. */
  readonly left: readonly string[];
}

/** Runs the comparison with a temporary folder of its own; `during` may act on it while it runs. */
async function run(
  argv: readonly string[],
  faults = '',
  during?: (own: string, pid: number) => Promise<void>,
): Promise<Run> {
  const own = mkdtempSync(join(folder, 'run-'));
  // A process group of its own, as a shell gives to each command.
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { ...process.env, TMPDIR: own, FAKE_FAULTS: faults },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  await during?.(own, child.pid!);
  const [code] = (await closed) as [number | null];
  return { code, stdout, stderr, left: [...readdirSync(own), ...processesOf(own)] };
}

/** Processes that still have the run's temporary folder in their environment; none can be seen but on Linux. */
function processesOf(own: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${own}\0`);
    } catch {
      return false;
    }
  });
}

/** Until a database in the run's folder has taken so much that a round must be under way. */
async function untilUnderLoad(own: string): Promise<void> {
  const underLoad = () =>
    readdirSync(own, { recursive: true, encoding: 'utf8' }).some((file) => {
      const size = statSync(join(own, file), { throwIfNoEntry: false })?.size ?? 0;
      return file.endsWith('-wal') && size > 1_000_000;
    });
  while (!underLoad()) await sleep(20);
}

const out = join(folder, 'result.json');
const whole = await run(['--', ...SMALL, `--out=${out}`]);
const result = JSON.parse(readFileSync(out, 'utf8')) as Result;

test('a comparison ends with 0, a table and nothing left behind', () => {
  assert.equal(whole.code, 0, whole.stderr);
  assert.deepEqual(whole.left, []);
  assert.match(
    whole.stderr,
    /^Measured starts per server: 2\. Rounds, .*: rs ts ts rs\.\n.*\nThis takes about \d+ seconds once built\./,
  );
  for (const metric of METRICS) assert.ok(whole.stdout.includes(metric.label), metric.label);
});

test('its result follows the schema, and a changed one does not', async () => {
  assert.deepEqual(await violations(result), []);
  assert.deepEqual(await violations({ ...result, mode: 'guess' }), [
    '/mode must be equal to one of the allowed values',
  ]);
  const { rounds: _, ...without } = result;
  assert.deepEqual(await violations(without), ["/ must have required property 'rounds'"]);
});

test('every round is raw in the result: expected, acknowledged and stored agree', () => {
  assert.deepEqual(
    result.rounds.map((sample) => sample.target),
    ['rs', 'ts', 'ts', 'rs'],
  );
  for (const { audit, measured, warm_up } of result.rounds) {
    assert.deepEqual(
      [audit.expected_events, audit.acknowledged_events, audit.stored_events],
      [3500, 3500, 3500],
    );
    assert.deepEqual([audit.expected_event_ids, audit.stored_event_ids], [3500, 3500]);
    assert.deepEqual([warm_up.requests, measured.requests, measured.non_2xx], [10, 60, 0]);
    assert.ok(measured.latency!.p50_ms > 0 && measured.latency!.p50_ms <= measured.latency!.p99_ms);
    assert.ok(measured.generator_cpu_us > 0);
  }
  assert.equal(result.servers.rs!.starts_ms.length, 2);
  assert.equal(result.servers.ts!.metrics.throughput_events_per_s!.samples, 2);
  assert.equal(result.ratios!.throughput_events_per_s!.pairs.length, 2);
});

test('CPU and memory are measured where the system tells them', {
  skip: process.platform !== 'linux' && 'proc(5) is Linux',
}, () => {
  for (const sample of result.rounds) {
    assert.ok(sample.peak_rss_bytes! >= sample.idle_rss_bytes! && sample.idle_rss_bytes! > 1_000_000);
    assert.ok(sample.server_cpu_us! > 0);
  }
});

test('both servers got the same bytes', () => {
  assert.equal(new Set(result.rounds.map((sample) => sample.measured.sent_bytes)).size, 1);
});

test('a short run has its reasons to distrust, and no path of the machine', () => {
  const codes = result.warnings.map((warning) => warning.code);
  assert.ok(codes.includes('few_rounds') && codes.includes('short_rounds'), codes.join());
  assert.ok(!JSON.stringify(result).includes(tmpdir()));
});

test('the schema lists the metrics that are compared, and no others', () => {
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
  const keys = METRICS.map((metric) => metric.key).toSorted();
  assert.deepEqual(Object.keys(schema.$defs.server.properties.metrics.properties).toSorted(), keys);
  assert.deepEqual(Object.keys(schema.properties.ratios.properties).toSorted(), keys);
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

test("the README's table has a row a metric, in the seed's columns", () => {
  const lines = readmeTable(result).split('\n');
  assert.match(
    lines[0]!,
    /^\| Metric \| TypeScript \(Node\.js\) \| Rust \(axum \+ tokio\) \| Delta \| Ratio/,
  );
  assert.equal(lines.filter((line) => line.startsWith('| ')).length, METRICS.length + 2);
});

test('one server alone, as JSON on stdout', async () => {
  const alone = await run([...SMALL, '--only=ts', '--json', `--out=${join(folder, 'alone.json')}`]);
  assert.equal(alone.code, 0, alone.stderr);
  const printed = JSON.parse(alone.stdout) as Result;
  assert.deepEqual(await violations(printed), []);
  assert.deepEqual(
    [printed.order, Object.keys(printed.servers), printed.ratios],
    [['ts', 'ts'], ['ts'], undefined],
  );
});

test('a wrong flag explains itself with 2, and nothing is started', async () => {
  const wrong = await run(['--evnts=3', '--rounds=x']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /unknown flag --evnts[\s\S]*--rounds must be an integer/);
});

test('a corpus that holds no events is told before anything is started', async () => {
  const wrong = await run([...SMALL, `--corpus=${MAIN}`]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /corpus_unusable: line 1 of the corpus is not JSON/);
  assert.doesNotMatch(wrong.stderr, /smoke/);
});

for (const [fault, code, text] of [
  ['rs:lose-one', 'audit_failed', /expected 3500 events, acknowledged 3500, stored 3499/],
  ['ts:busy', 'audit_failed', /503 x \d+/],
  ['ts:differs', 'parity_difference', /rs: 200 .*"tools":\[\]\}\n\s+ts: 200 .*"tools":null/],
  ['rs:durability', 'health_differs', /durability: rs power, ts process/],
  ['ts:dies', 'server_failed', /ended under load \(code 3\)/],
] as const) {
  test(`a server with the fault "${fault}" fails the run and leaves no result`, async () => {
    const file = join(folder, `${fault.replace(':', '-')}.json`);
    const failed = await run([...SMALL, `--out=${file}`], fault);
    assert.equal(failed.code, 1, failed.stdout);
    assert.match(failed.stderr, new RegExp(`bench:compare: ${code}: `));
    assert.match(failed.stderr, text);
    assert.ok(!existsSync(file));
    assert.deepEqual(failed.left, []);
  });
}

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
