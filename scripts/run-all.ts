/**
 * `pnpm test`, `pnpm check`, `pnpm check:ci` and `pnpm check:long`: runs the required scripts of package.json.
 *
 * A plan has stages, which run one after the other. The lanes of a stage run at the same time, and the scripts of a lane
 * one after the other. A lane that mostly waits therefore shares the cores with one that computes. The linker of the
 * release build uses less than one core. Scenarios run alone, since some have bounds in time.
 *
 * All scripts run even if one fails, so that one run reports everything. The output ends with the last lines of each
 * failure, a table, and the failing cases. The cases come last because CI shows the end of a log.
 *
 * `test` is for each change at the desk: tests of the packages, and all cases on both servers. `check` is for each
 * commit, and adds lints, counts, the generator's tests and a short comparison. CI runs `check:ci`, which adds the
 * scenarios, the browser, the cluster, fuzzing, packages and Windows. `check:long` runs every night. It adds the long
 * forms of the crash and differential scenarios (decision 48), and tests that depend on the speed of the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { FailedCases } from './failed-cases.ts';

/** Number of lines, enough for the failing tests that `node --test` and `cargo test` list at their end. */
const TAIL_LINES = 40;
const KEPT_CHARACTERS = 16_384;

/** Compiled modules of Node. Tests start hundreds of processes, and each would remove the types of its modules again. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

interface Step {
  readonly script: string;
  readonly args?: readonly string[];
}

/** Scripts that run one after the other. */
type Lane = readonly Step[];
/** Lanes that run at the same time. */
type Stage = readonly Lane[];

/** Cases and scenarios whose answers come from the store, a part of each kind (decision 106). */
const SHARED_TESTS = [
  '00-health/',
  '10-ingest-single/',
  '11-ingest-batch/',
  '30-metadata/',
  '31-truncation/',
  '36-answers/',
  '37-same-event/',
  '40-dedupe/',
  '41-hooks/',
  '42-waits/',
  '46-prices/',
  '47-redact/',
  '60-read-filters/',
  '60-read-paging/',
  '61-sessions/',
  '63-snapshots/',
  '65-retention/',
  'scenarios/swap/',
  'scenarios/waits/',
];

const lane = (...scripts: string[]): Lane => scripts.map((script) => ({ script }));

/** The dashboard comes first, because both servers embed it. */
const PAGE: Stage = [lane('page:check')];
/**
 * The two lanes use different profiles of Cargo, so neither waits for the other. The build of TypeScript takes a second
 * and comes first, because a test of the scripts fails when a file of a build changes meanwhile.
 */
const BUILD = lane('ts:build', 'rust:build', 'examples:rust');
const WITHOUT_SERVERS = lane(
  'contract:check',
  'twins:check',
  'imports:check',
  'results:check',
  'mapping:test',
  'ts:test',
);
/** They need nothing that was built, so they share a lane with the tests of Rust, which ends first. */
const SCRIPTS = lane('scripts:test');
const LINT = lane('lint', 'english:check', 'subjects:check');
const RUST_LINT = lane('rust:lint', 'rust:test');
/** Compiles the Rust server for Windows (decision 99). */
const WINDOWS_LINT = lane('windows:check');
/** It fetches the crates that a build on this platform does not. */
const SUPPLY = lane('supply:check');
/** The same sessions in every run. */
const FUZZ: Step = { script: 'fuzz', args: ['--minutes', '2'] };
/** Other sessions each day. The output names the seed. */
const LONG_FUZZ: Step = {
  script: 'fuzz',
  args: ['--minutes', '10', '--seed', String(Math.floor(Date.now() / 86_400_000))],
};
/** The faults take about a minute. Without nats-server the script says why it is skipped. */
const FAULTS: Step = { script: 'cluster:check', args: ['--faults', '10'] };
const LONG_FAULTS: Step = { script: 'cluster:check', args: ['--faults', '60'] };
/** All requests and answers of the contract, without the scenarios (decision 48). */
const CASES: Step = { script: 'parity', args: ['--cases'] };
/** About a minute. Without nats-server the script says why it is skipped. */
const SHARED_PARITY: Step = {
  script: 'parity',
  args: ['--store', 'jetstream', ...SHARED_TESTS.flatMap((text) => ['--only', text])],
};
const LONG_SHARED_PARITY: Step = { script: 'parity', args: ['--store', 'jetstream'] };
/** These counts do not depend on other load. */
const COUNTS = lane('counts:check');
const WITH_SERVERS = lane(
  'client:test',
  'testkit:test',
  'cli:test',
  'examples:test',
  'agent-tests:test',
  'parity:test',
);
/** They wait for elections and time-outs of NATS, and use a third of one core. */
const CLUSTER = lane('cluster:test');
const BROWSER = lane('page:test');
/** It compares times of short measurements, so it runs alone. */
const MEASURING = lane('loadgen:test');
const SMOKE = lane('bench:smoke');
/** Packs the server of `rust:build`, and installs all packages from a local registry (decision 84). */
const PACKAGES = lane('packages:test');
/** Builds the server and the crate as a release does, with zig, which takes minutes. */
const LONG_PACKAGES = lane('packages:long');
/** All commands of the README in a clone that builds itself, which takes half an hour. It uses the packed packages. */
const README = lane('readme:long');
/** Links the program for Windows. `packages:long` then runs it where wine is the runner of cargo. */
const WINDOWS: Step = { script: 'pack:binary', args: ['win32-x64'] };
/** These scripts are too slow for `check`, since the crate has its own fat LTO (decision 67). */
const PLAIN = lane('plain:lint', 'plain:build');
/** The window of an example: 400 crates, and packages of WebKit. */
const TAURI = lane('examples:tauri');
const LONG_PARITY: Step = {
  script: 'parity',
  args: ['--requests', '20000', '--kills', '50', '--soak-seconds', '60', '--images', '300', '--slow'],
};
/** A soak of a minute per server. `bench:soak` without `--quick` takes 30. */
const SHORT_SOAK: Step = { script: 'bench:soak', args: ['--quick'] };
/** Every scenario on the real servers. The run fails if a client is out of sync. */
const QUICK_SYNC: Step = { script: 'bench:sync', args: ['--quick'] };
const STATIC: Lane = [...BUILD, ...LINT, ...SUPPLY, ...WITHOUT_SERVERS, ...COUNTS];
const CHECKED: Stage = [[...RUST_LINT, ...SCRIPTS, ...WINDOWS_LINT], STATIC];
const PLANS: Readonly<Record<string, readonly Stage[]>> = {
  test: [PAGE, [lane('rust:test', 'scripts:test'), [...BUILD, ...WITHOUT_SERVERS]], [[CASES], WITH_SERVERS]],
  check: [PAGE, [[...RUST_LINT, ...SCRIPTS], STATIC], [[CASES], WITH_SERVERS], [[...MEASURING, ...SMOKE]]],
  'check:ci': [
    PAGE,
    CHECKED,
    [lane('parity')],
    [WITH_SERVERS, [FAULTS, ...CLUSTER]],
    [[SHARED_PARITY, FUZZ, ...BROWSER, ...PACKAGES, ...MEASURING, ...SMOKE]],
  ],
  'check:long': [
    PAGE,
    CHECKED,
    [PLAIN],
    [[LONG_PARITY, LONG_SHARED_PARITY, LONG_FUZZ, LONG_FAULTS]],
    [WITH_SERVERS, CLUSTER],
    [[...BROWSER, ...MEASURING]],
    [[...TAURI, WINDOWS, ...LONG_PACKAGES, ...README]],
    [[...SMOKE, SHORT_SOAK, QUICK_SYNC, ...lane('test:perf', 'test:clients')]],
  ],
};

answerHelp(`Usage: pnpm test, pnpm check, pnpm check:ci, pnpm check:long

Runs the scripts of package.json that must pass, and reports all failures at the end. Scripts in braces run at the
same time: those before a bar one after the other, next to those behind it.

${Object.entries(PLANS)
  .map(([name, stages]) => `  ${name}: ${stages.map(shownStage).join(', ')}\n`)
  .join('')}
Exit code: 0 all passed, 1 a script failed.
`);
const plan = PLANS[process.argv[2] ?? ''];
if (plan === undefined) {
  process.stderr.write(`usage: run-all.ts ${Object.keys(PLANS).join('|')}\n`);
  process.exit(2);
}

interface Result {
  readonly script: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly tail: string;
  readonly cases: readonly string[];
}

const begun = performance.now();
const results: Result[] = [];
for (const stage of plan) {
  const lanes = await Promise.all(stage.map((steps) => runLane(steps, stage.length > 1)));
  results.push(...lanes.flat());
}

const failed = results.filter((result) => !result.ok);
for (const { script, tail } of failed)
  process.stdout.write(`\n== ${script} failed; its last lines:\n${tail}\n`);
process.stdout.write('\n');
for (const { script, ok, seconds } of results) {
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'}  ${script.padEnd(16)} ${seconds.toFixed(1).padStart(7)} s\n`,
  );
}
const took = (performance.now() - begun) / 1000;
process.stdout.write(
  `\n${results.length - failed.length} passed, ${failed.length} failed, in ${took.toFixed(0)} s\n`,
);
for (const { script, cases } of failed) {
  const named = cases.length > 0 ? cases : ['no line names a case; its last lines are above the table'];
  process.stdout.write(`\n== ${script} failed:\n${named.map((line) => `  ${line}\n`).join('')}`);
}
process.exitCode = failed.length === 0 ? 0 : 1;

function shownStage(stage: Stage): string {
  const lanes = stage.map((steps) => steps.map(({ script }) => script).join(', '));
  return lanes.length === 1 ? lanes[0]! : `{ ${lanes.join(' | ')} }`;
}

/** Runs the scripts of a lane. `isShared` keeps the output of each until its end, since another lane prints too. */
async function runLane(steps: Lane, isShared: boolean): Promise<Result[]> {
  const found: Result[] = [];
  for (const step of steps) found.push(await run(step, isShared));
  return found;
}

/** Runs one script, prints its output, and keeps the end of it for the summary. */
async function run(step: Step, isShared: boolean): Promise<Result> {
  const started = performance.now();
  const title = [step.script, ...(step.args ?? [])].join(' ');
  process.stderr.write(`\n== ${title}${isShared ? ' begins' : ''}\n`);
  const [command, ...first] = packageManager();
  const child = spawn(command!, [...first, 'run', step.script, ...(step.args ?? [])], {
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const held: (() => void)[] = [];
  const cases = new FailedCases();
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    createInterface({ input: from }).on('line', (line) => cases.take(line));
    from.setEncoding('utf8').on('data', (text: string) => {
      const print = () => void to.write(text);
      if (isShared) held.push(print);
      else print();
      printed = (printed + text).slice(-KEPT_CHARACTERS);
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  if (isShared) process.stderr.write(`\n== ${title}\n`);
  for (const print of held) print();
  const seconds = (performance.now() - started) / 1000;
  const tail = printed.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return { script: step.script, ok: status === 0, seconds, tail, cases: cases.lines };
}

/** Returns the pnpm that runs this script: a program, or a JavaScript file. */
function packageManager(): string[] {
  const running = process.env.npm_execpath ?? '';
  if (running === '') return ['pnpm'];
  return ['.js', '.cjs', '.mjs'].includes(extname(running)) ? [process.execPath, running] : [running];
}
