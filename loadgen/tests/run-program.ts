/**
 * Runs a command with fake servers as a child process, and reports the files and processes that it left behind.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { LADDERS, PEERS, RESULT, SOAK, suiteFile } from '../src/result/files.ts';
import { SUITE_NAMES, violations } from '../src/result/json.ts';
import type { RawResult, Result } from '../src/result/result.ts';
import { folder } from './scratch.ts';

const COMPARE = fileURLToPath(new URL('./fake-main.ts', import.meta.url));

/** Compiled modules of all runs. A run starts a dozen Node processes, which load the same modules. */
const NODE_COMPILE_CACHE = `${ROOT}node_modules/.cache/loadgen-tests`;

type Env = Readonly<Record<string, string>>;

/**
 * Returns also what the run left: the files in its own temporary folder, and processes. When its stderr matches
 * `interruptAt`, the run is interrupted as Ctrl-C in a terminal does it.
 */
export async function runProgram(main: string, argv: readonly string[], env: Env, interruptAt?: RegExp) {
  const own = mkdtempSync(join(folder, 'run-'));
  // The child has its own process group, to whose processes a terminal would send the signal.
  const child = spawn(process.execPath, [main, ...argv], {
    env: { ...process.env, TMPDIR: own, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const [closed, printed] = [once(child, 'close'), text(child.stdout)];
  let [stderr, awaited] = ['', interruptAt];
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    stderr += chunk;
    if (!awaited?.test(stderr)) continue;
    awaited = undefined;
    process.kill(-child.pid!, 'SIGINT');
  }
  const [code] = (await closed) as [number | null];
  return { code, stdout: await printed, stderr, left: [...readdirSync(own), ...processesOf(own)] };
}

/**
 * Runs the whole comparison with fake servers. `scratch` is the folder of its raw data, its report and its history.
 * `changed` lists the files of its checkout that git calls changed or new.
 */
export async function runCompare(argv: readonly string[], env: Env = {}, interruptAt?: RegExp) {
  const checkout = committedCheckout();
  const all = { FAKE_CHECKOUT: checkout, K6_BIN: '/nowhere/k6', ...env };
  const run = await runProgram(COMPARE, argv, all, interruptAt);
  return { ...run, scratch: join(checkout, '.bench'), changed: git(checkout, 'status', '--porcelain') };
}

/** Makes a checkout with the ignored files and the committed results of this one. */
export function committedCheckout(): string {
  const checkout = mkdtempSync(join(folder, 'checkout-'));
  cpSync(join(ROOT, '.gitignore'), join(checkout, '.gitignore'));
  for (const path of [RESULT, SOAK, LADDERS, PEERS, ...SUITE_NAMES.map(suiteFile)])
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
  git(checkout, 'init', '--quiet');
  git(checkout, 'add', '.');
  git(
    checkout,
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@localhost',
    'commit',
    '--quiet',
    '--message=results',
  );
  return checkout;
}

export function git(checkout: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: checkout, encoding: 'utf8' });
}

/** Runs a comparison that must succeed, and returns its files as well. The summary follows the schema. */
export async function resultOf(flags: readonly string[], env: Env = {}) {
  const out = join(mkdtempSync(join(folder, 'out-')), 'result.json');
  const run = await runCompare([...flags, `--out=${out}`], env);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.left, []);
  const result = JSON.parse(readFileSync(out, 'utf8')) as Result;
  assert.deepEqual(await violations(result), []);
  const rawText = readFileSync(join(run.scratch, 'benchmark-raw.json'), 'utf8');
  return { ...run, result, rawText, raw: JSON.parse(rawText) as RawResult };
}

/** Returns the processes that have the run's temporary folder in their environment. Only Linux can list them. */
function processesOf(own: string): string[] {
  return globSync('/proc/[0-9]*/environ').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(`TMPDIR=${own}\0`);
    } catch {
      return false;
    }
  });
}
