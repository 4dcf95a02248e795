/**
 * `pnpm test`, `pnpm check` and `pnpm check:long`: runs the required scripts of package.json one after the other.
 *
 * All scripts run even if one fails, so that one run reports everything. The output ends with the last lines of each
 * failure, a table, and the failing cases. The cases come last because CI shows the end of a log.
 *
 * CI runs `check`: `test`, formatting, lints, types and counts. `check:long` runs every night. It adds the long forms
 * of the crash and differential scenarios to `check` (decision 48). It also adds tests that depend on the speed of the
 * machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { FailedCases } from './failed-cases.ts';

/** Number of lines, enough for the failing tests that `node --test` and `cargo test` list at their end. */
const TAIL_LINES = 40;
const KEPT_CHARACTERS = 16_384;

interface Step {
  readonly script: string;
  readonly args?: readonly string[];
}

/** The dashboard is built first, because both servers embed it. */
const BUILD: readonly Step[] = [
  { script: 'page:check' },
  { script: 'rust:test' },
  { script: 'rust:build' },
  { script: 'ts:build' },
  // Its tests start the built server.
  { script: 'examples:rust' },
];
const LINT: readonly Step[] = [
  { script: 'rust:lint' },
  { script: 'lint' },
  { script: 'english:check' },
  { script: 'subjects:check' },
];
const UNITS: readonly Step[] = [
  { script: 'contract:check' },
  { script: 'twins:check' },
  { script: 'imports:check' },
  { script: 'results:check' },
  { script: 'ts:test' },
  { script: 'client:test' },
  { script: 'page:test' },
  { script: 'scripts:test' },
  { script: 'testkit:test' },
  { script: 'cli:test' },
  { script: 'examples:test' },
  { script: 'agent-tests:test' },
  { script: 'parity:test' },
  { script: 'loadgen:test' },
];
/** Packs the Rust server with zig, which takes minutes, and installs all packages from a local registry (decision 84). */
const PACKAGES: readonly Step[] = [{ script: 'packages:test' }];
const COUNTS: readonly Step[] = [{ script: 'counts:check' }, { script: 'bench:smoke' }];
/** These scripts are too slow for `check`, since the crate has its own fat LTO (decision 67). */
const PLAIN: readonly Step[] = [{ script: 'plain:lint' }, { script: 'plain:build' }];
/** The window of an example: 400 crates, and packages of WebKit. */
const TAURI: Step = { script: 'examples:tauri' };
const LONG_PARITY: Step = {
  script: 'parity',
  args: ['--requests', '20000', '--kills', '50', '--soak-seconds', '60', '--slow'],
};
/** A soak of a minute per server. `bench:soak` without `--quick` takes 30. */
const SHORT_SOAK: Step = { script: 'bench:soak', args: ['--quick'] };
const PLANS: Readonly<Record<string, readonly Step[]>> = {
  test: [...BUILD, ...UNITS, { script: 'parity' }],
  check: [...LINT, ...BUILD, ...UNITS, { script: 'parity' }, ...PACKAGES, ...COUNTS],
  'check:long': [
    ...LINT,
    ...BUILD,
    ...PLAIN,
    ...UNITS,
    TAURI,
    LONG_PARITY,
    ...PACKAGES,
    ...COUNTS,
    SHORT_SOAK,
    { script: 'test:perf' },
    { script: 'test:clients' },
  ],
};

answerHelp(`Usage: pnpm test, pnpm check, pnpm check:long

Runs the scripts of package.json that must pass, one after the other, and reports all failures at the end.

${Object.entries(PLANS)
  .map(([name, steps]) => `  ${name}: ${steps.map(({ script }) => script).join(', ')}\n`)
  .join('')}
Exit code: 0 all passed, 1 a script failed.
`);
const plan = PLANS[process.argv[2] ?? ''];
if (plan === undefined) {
  process.stderr.write(`usage: run-all.ts ${Object.keys(PLANS).join('|')}\n`);
  process.exit(2);
}
const results: {
  script: string;
  ok: boolean;
  seconds: number;
  tail: string;
  cases: readonly string[];
}[] = [];
for (const step of plan) results.push(await run(step));

const failed = results.filter((result) => !result.ok);
for (const { script, tail } of failed)
  process.stdout.write(`\n== ${script} failed; its last lines:\n${tail}\n`);
process.stdout.write('\n');
for (const { script, ok, seconds } of results) {
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'}  ${script.padEnd(16)} ${seconds.toFixed(1).padStart(7)} s\n`,
  );
}
process.stdout.write(`\n${results.length - failed.length} passed, ${failed.length} failed\n`);
for (const { script, cases } of failed) {
  const named = cases.length > 0 ? cases : ['no line names a case; its last lines are above the table'];
  process.stdout.write(`\n== ${script} failed:\n${named.map((line) => `  ${line}\n`).join('')}`);
}
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs one script, prints its output, and keeps the end of it for the summary. */
async function run(step: Step): Promise<(typeof results)[number]> {
  const started = process.hrtime.bigint();
  process.stderr.write(`\n== ${[step.script, ...(step.args ?? [])].join(' ')}\n`);
  const [command, ...first] = packageManager();
  const child = spawn(command!, [...first, 'run', step.script, ...(step.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const cases = new FailedCases();
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    createInterface({ input: from }).on('line', (line) => cases.take(line));
    from.setEncoding('utf8').on('data', (text: string) => {
      to.write(text);
      printed = (printed + text).slice(-KEPT_CHARACTERS);
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const tail = printed.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return { script: step.script, ok: status === 0, seconds, tail, cases: cases.lines };
}

/** Returns the pnpm that runs this script: a program, or a JavaScript file. */
function packageManager(): string[] {
  const running = process.env.npm_execpath ?? '';
  if (running === '') return ['pnpm'];
  return ['.js', '.cjs', '.mjs'].includes(extname(running)) ? [process.execPath, running] : [running];
}
