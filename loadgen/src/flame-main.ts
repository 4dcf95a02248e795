/**
 * `pnpm bench:profile rs|ts`: a flame graph of a server under the standard load (batches of 50, 40 connections).
 *
 * Samples with perf(1), whose stacks need frame pointers: server-rs is built anew with them, V8 is told to keep
 * them. Exit 2 for a wrong command line, 1 for anything else that fails. What is drawn is where time goes, not how
 * fast the server is: nothing of a profiled run is a measurement.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import {
  isTargetName,
  ROOT,
  TARGETS,
  type Target,
  type TargetName,
} from '@twin-ingest/testkit/servers/targets.ts';
import { autocannonDriver } from './drivers/autocannon.ts';
import { BenchFailure } from './failure.ts';
import { launch } from './launch.ts';
import { choosePlacement } from './placement.ts';

const HELP = `Usage: pnpm bench:profile rs|ts [--seconds=10] [--frequency=499] [--payload=mixed|small] [--corpus=FILE]

Draws where a server spends its time under the standard load, as .bench/profile-NAME.svg. Needs perf.
`;
/** More than either server takes in the time. */
const EVENTS_PER_S = 200_000;
const WARM_UP_EVENTS = 100_000;

interface Wanted {
  readonly target: TargetName;
  readonly seconds: number;
  readonly frequency: number;
  readonly corpus: string | undefined;
  readonly payload: 'mixed' | 'small';
}

function parse(argv: readonly string[]): Wanted | string {
  try {
    const { values, positionals } = parseArgs({
      args: argv.filter((argument) => argument !== '--'),
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '10' },
        frequency: { type: 'string', default: '499' },
        corpus: { type: 'string' },
        payload: { type: 'string', default: 'mixed' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return HELP;
    const [target] = positionals;
    const [seconds, frequency] = [Number(values.seconds), Number(values.frequency)];
    if (target === undefined || !isTargetName(target) || positionals.length > 1) return 'rs or ts is wanted';
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600) return '--seconds is from 1 to 600';
    if (!Number.isInteger(frequency) || frequency < 1 || frequency > 9999)
      return '--frequency is from 1 to 9999';
    return { target, seconds, frequency, corpus: values.corpus, payload: payloadOf(values.payload) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function payloadOf(text: string): 'mixed' | 'small' {
  if (text === 'mixed' || text === 'small') return text;
  throw new RangeError('--payload is mixed or small');
}

/** The server with what perf needs to walk its stacks. */
function profiled(name: TargetName): Target {
  const target = TARGETS[name];
  if (name === 'ts') {
    const flags = ['--perf-basic-prof', '--interpreted-frames-native-stack'];
    return { ...target, args: [...flags, ...target.args] };
  }
  const folder = join(ROOT, 'target', 'frame-pointers');
  must(
    'cargo',
    ['build', '--profile', 'profiling', '--locked', '-p', 'ingest-server', '--target-dir', folder],
    {
      RUSTFLAGS: '-C force-frame-pointers=yes',
      CFLAGS: '-fno-omit-frame-pointer',
    },
  );
  return { ...target, command: join(folder, 'profiling', 'ingest-server') };
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

async function profile(wanted: Wanted, lifetime: Lifetime): Promise<string> {
  const target = profiled(wanted.target);
  if (wanted.target === 'ts') must('node', ['server-ts/build.ts']);
  must('cargo', ['build', '--release', '--locked', '-p', 'ingest-server', '--example', 'flame']);
  const placement = choosePlacement();
  const contenders = {
    targets: { ...TARGETS, [wanted.target]: target },
    limits: null,
    closedLoopProgram: undefined,
  };
  const asked = { durability: 'process', max_metadata_bytes: null } as const;
  const launched = await launch(wanted.target, { contenders, placement, lifetime }, asked);
  const generator = await autocannonDriver(placement, lifetime).prepare({
    pool: { corpus: wanted.corpus, payload: wanted.payload, seed: 1, ids: 'random', most: 200_000 },
    endpoint: 'batch',
    batchSize: 50,
    connections: 40,
    timeout_s: 30,
  });
  const order = { url: launched.server.url, rate_events_per_s: null };
  await generator.send({ ...order, range: { first: 0, count: WARM_UP_EVENTS } }, () => undefined);
  const load = generator.send(
    { ...order, range: { first: WARM_UP_EVENTS, count: wanted.seconds * EVENTS_PER_S } },
    () => undefined,
  );
  // What is left of the load when perf ends is of no use to anybody.
  load.catch(() => undefined);
  const folder = await lifetime.temporaryFolder();
  const data = join(folder.path, 'perf.data');
  const flags = ['-F', String(wanted.frequency), '-g', '-p', String(launched.server.pid), '-o', data];
  must('perf', ['record', '--quiet', ...flags, '--', 'sleep', String(wanted.seconds)]);
  const svg = join(ROOT, '.bench', `profile-${wanted.target}.svg`);
  await draw(data, svg, `${target.label} under the standard load`);
  return svg;
}

/** perf's own reading of its samples, drawn. */
async function draw(data: string, svg: string, title: string): Promise<void> {
  mkdirSync(join(ROOT, '.bench'), { recursive: true });
  const out = openSync(svg, 'w');
  const script = spawn('perf', ['script', '--no-inline', '-i', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const flame = spawn(TARGETS.rs.artefact.replace(/[^/]+$/, 'examples/flame'), [title], {
    stdio: [script.stdout, out, 'inherit'],
  });
  const [code] = (await once(flame, 'close')) as [number | null];
  closeSync(out);
  if (code !== 0) throw new BenchFailure('generator_failed', 'perf has sampled nothing that can be drawn');
}

const wanted = parse(process.argv.slice(2));
if (wanted === HELP) process.stdout.write(HELP);
else if (typeof wanted === 'string') {
  process.stderr.write(`bench:profile: ${wanted}\n${HELP}`);
  process.exitCode = 2;
} else {
  const lifetime = new Lifetime();
  process.on('SIGINT', () => lifetime.interrupt());
  try {
    const svg = await profile(wanted, lifetime);
    process.stdout.write(`${svg}\n`);
  } catch (error) {
    process.stderr.write(`bench:profile: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await lifetime.end();
  }
  process.exit();
}
