/**
 * `pnpm bench:profile rs|ts`: a flame graph of a server under batches of 50 over 40 connections, as fast as it answers
 * or at a rate.
 *
 * Samples with perf(1), which needs frame pointers: server-rs is built again with them, and V8 gets flags that let perf
 * read its stacks. The graph shows where time is spent, not how fast the server is. No figure of a profiled run is a
 * measurement.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import {
  isTargetName,
  ROOT,
  TARGETS,
  type Target,
  type TargetName,
} from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { closedLoop, prepareOpenLoop } from '../load/drivers/process-driver.ts';
import { type Given, parseCommand, type Usage } from '../plan/parse.ts';
import { choosePlacement } from '../plan/placement.ts';
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { Host } from '../run/host.ts';
import { runCommand } from './run-command.ts';

const PROFILE: Usage<'profile'> = {
  name: 'profile',
  words: ['rs|ts'],
  about: `Draws where a server spends its time under the standard load, as .bench/profile-NAME.svg. Needs perf.
The load takes 10 seconds unless --duration says otherwise. It is a closed loop unless --rate is given.`,
  exit: 'Exit: 0 drawn, 1 anything failed, 2 a flag is wrong, 130 interrupted.',
};
/** Throughput that no server reaches, so that the load lasts for the whole profile. */
const EVENTS_PER_S = 200_000;
const WARM_UP_EVENTS = 100_000;

const DURATION_S = 10;
const FREQUENCY = 499;

interface Options {
  readonly target: TargetName;
  readonly seconds: number;
  readonly corpus: string | undefined;
  /** Events per second of an open loop; `null` is a closed loop. */
  readonly rate: number | null;
}

function finish({ words, duration, corpus, rate }: Given<'profile'>, problems: string[]): Options {
  const [target = ''] = words;
  if (!isTargetName(target)) problems.push(`the server is rs or ts, not ${target || 'nothing'}`);
  if (rate !== undefined && !/^[1-9]\d*$/.test(rate))
    problems.push(`--rate of a profile must be one number of events per second, not ${rate}`);
  return {
    target: target as TargetName,
    seconds: duration ?? DURATION_S,
    corpus,
    rate: rate === undefined ? null : Number(rate),
  };
}

/** Returns the server in a form whose stacks perf can walk. */
function profiled(name: TargetName): Target {
  const target = TARGETS[name];
  if (name === 'ts') {
    const flags = ['--perf-basic-prof', '--interpreted-frames-native-stack'];
    return { ...target, args: [...flags, ...target.args] };
  }
  const folder = 'target/frame-pointers';
  const build = `build --profile profiling --locked -p ingest-server --target-dir ${folder}`;
  must('cargo', build.split(' '), {
    RUSTFLAGS: '-C force-frame-pointers=yes',
    CFLAGS: '-fno-omit-frame-pointer',
  });
  return { ...target, command: join(ROOT, folder, 'profiling', 'ingest-server') };
}

function must(command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) {
    const how = error === undefined ? `code ${status}` : error.message;
    throw new BenchFailure('server_failed', `${command} ${args[0]} failed (${how})`);
  }
}

async function profile(wanted: Options, lifetime: Lifetime): Promise<string> {
  const target = profiled(wanted.target);
  if (wanted.target === 'ts') must('node', ['server-ts/build.ts']);
  must('cargo', ['build', '--release', '--locked', '-p', 'ingest-server', '--example', 'flame']);
  const placement = choosePlacement();
  const targets = { ...TARGETS, [wanted.target]: target };
  const contenders = { ...REAL_CONTENDERS, targets, ceilings: null };
  const host = await Host.start(wanted.target, { contenders, placement, lifetime });
  const { rate: rate_events_per_s, seconds } = wanted;
  const prepare = rate_events_per_s === null ? closedLoop() : prepareOpenLoop;
  const pool = { corpus: wanted.corpus, seed: 1, most: 200_000 };
  const job = { pool, endpoint: 'batch', batchSize: 50, connections: 40, timeout_s: 30 } as const;
  const generator = await prepare(job, { placement, lifetime });
  const order = { url: host.url, rate_events_per_s };
  await generator.send({ ...order, range: { first: 0, count: WARM_UP_EVENTS } });
  const range = { first: WARM_UP_EVENTS, count: seconds * (rate_events_per_s ?? EVENTS_PER_S) };
  const load = generator.send({ ...order, range });
  // The rest of the load is not needed after perf ends, so its failure is ignored.
  load.catch(() => undefined);
  const folder = await lifetime.temporaryFolder();
  const data = join(folder.path, 'perf.data');
  const flags = ['-F', String(FREQUENCY), '-g', '-p', String(host.pid), '-o', data];
  must('perf', ['record', '--quiet', ...flags, '--', 'sleep', String(seconds)]);
  const suffix = rate_events_per_s === null ? '' : `-${rate_events_per_s}`;
  const svg = join(ROOT, '.bench', `profile-${wanted.target}${suffix}.svg`);
  const loadName = rate_events_per_s === null ? 'full load' : `${rate_events_per_s} events/s`;
  await draw(data, svg, `${target.label} under ${loadName}`);
  return svg;
}

async function draw(data: string, svg: string, title: string): Promise<void> {
  mkdirSync(join(ROOT, '.bench'), { recursive: true });
  const out = openSync(svg, 'w');
  const script = spawn('perf', ['script', '--no-inline', '-i', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const program = TARGETS.rs.artefact.replace(/[^/]+$/, 'examples/flame');
  const flame = spawn(program, [title, pathToFileURL(ROOT).href], {
    stdio: [script.stdout, out, 'inherit'],
  });
  const [code] = (await once(flame, 'close')) as [number | null];
  closeSync(out);
  if (code !== 0) throw new BenchFailure('generator_failed', 'perf has sampled nothing that can be drawn');
}

const parsed = parseCommand(PROFILE, process.argv.slice(2), finish);
process.exitCode = await runCommand('profile', parsed, async (options, lifetime) => {
  process.stdout.write(`${await profile(options, lifetime)}\n`);
  return 0;
});
