/**
 * `pnpm order:build`: writes `server-rs/link-order.txt`, the functions that server-rs calls, those of a start before
 * those that only requests reach, by name within each.
 *
 *     node scripts/link-order.ts [--check]
 *
 * The linker lays them side by side (`server-rs/build.rs`), so that a server at rest has half of its program text in
 * memory instead of all of it: the system maps 64 KiB around each page that is touched. Calls are recorded by
 * valgrind's callgrind. With `--check` (`pnpm order:check`) nothing is written: it fails where a server at rest has
 * more than `MOST_OF_TEXT` in memory, as after another compiler, whose functions have other names. Exit 1 for that, and
 * where something cannot run, 2 for a wrong flag.
 *
 * What must stay true: the program that is recorded is compiled with the flags of the one that is shipped, since
 * the names of Rust's functions depend on them; the shipped one is built again behind it.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchBody, singleBody } from '../loadgen/src/bodies.ts';
import { loadPool } from '../loadgen/src/pool.ts';
import { type RunningServer, startServer } from '../parity-tests/src/server.ts';
import { ROOT, TARGETS } from '../parity-tests/src/targets.ts';

const FILE = join(ROOT, 'server-rs/link-order.txt');
const HEAD =
  '# Functions in the order in which the linker lays them: made by `pnpm order:build`, read by build.rs.';
/** In order it is a little more than a half, in the linker's own order all of it. */
const MOST_OF_TEXT = 0.7;
/** More keys than stay in memory, so that a run of them is written. */
const EVENTS = 20_000;
const BATCH_EVENTS = 50;
const SINGLES = 50;
/** Under callgrind everything takes fifty times as long. */
const DEADLINE_MS = 120_000;
const READS = [
  '/',
  '/app.js',
  '/livez',
  '/readyz',
  '/api/health',
  '/api/events',
  '/api/events?limit=50&event_type=tool_use',
  '/api/sessions',
  '/api/stats',
  '/api/stats/tools',
  '/api/stats/cost',
  '/api/filter-options',
  '/api/snapshot/events',
  '/api/snapshot/stats',
  '/api/snapshot/sessions',
  '/api/nothing',
];
const STREAMS = ['/api/stream', '/api/stream?mode=invalidate&topics=events,stats,sessions'];

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr.trim()}`);
}

const BUILD = ['--release', '--locked', '-p', 'ingest-server', '--bin', 'ingest-server'];

/** A copy of the server that has its names. */
function buildNamed(folder: string): string {
  const named = join(folder, 'ingest-server');
  run('cargo', 'rustc', ...BUILD, '--', '-C', 'strip=none');
  copyFileSync(TARGETS.rs.command, named);
  return named;
}

/** The names of its functions. */
function functionsOf(named: string): Set<string> {
  const lines = run('nm', '--defined-only', named).split('\n');
  return new Set(lines.flatMap((line) => /^\S+ [tT] (\S+)$/.exec(line)?.slice(1) ?? []));
}

/** Runs the server under callgrind; what it called, of `known`. */
async function record(
  named: string,
  known: ReadonlySet<string>,
  folder: string,
  use: (server: RunningServer) => Promise<void>,
): Promise<Set<string>> {
  const out = join(folder, 'callgrind.out');
  const server = await startServer(
    'rs',
    {
      flags: ['--db', join(folder, 'events.db')],
      cwd: folder,
      deadlineMs: DEADLINE_MS,
      wrapper: ['valgrind', '--tool=callgrind', `--callgrind-out-file=${out}`, '--demangle=no'],
    },
    { command: named, args: [] },
  );
  try {
    await use(server);
  } finally {
    await server.stop();
  }
  // `fn=(17) name` or `cfn=…`, whichever comes first, with 'N behind the name for the depth of a recursion.
  const names = [...readFileSync(out, 'utf8').matchAll(/^c?fn=\(\d+\) (\S+?)(?:'\d+)?$/gm)];
  return new Set(names.map(([, name]) => name!).filter((name) => known.has(name)));
}

async function untilReady({ url }: RunningServer): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200);
}

async function work(server: RunningServer): Promise<void> {
  const { url } = server;
  await untilReady(server);
  const end = new AbortController();
  const streams = STREAMS.map((path) => fetch(url + path, { signal: end.signal }));
  const pool = await loadPool({ corpus: undefined, payload: 'mixed', seed: 1, ids: 'random', most: EVENTS });
  const post = async (path: string, body: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    await answer.arrayBuffer();
  };
  for (let first = 0; first + SINGLES < EVENTS; first += BATCH_EVENTS)
    await post('/api/events/batch', new Uint8Array(batchBody(pool, { first, count: BATCH_EVENTS })));
  for (let i = EVENTS - SINGLES; i < EVENTS; i++)
    await post('/api/events', new Uint8Array(singleBody(pool, i)));
  for (const path of READS) await (await fetch(url + path)).arrayBuffer();
  await Promise.all(streams);
  end.abort();
}

async function build(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'link-order-'));
  try {
    const named = buildNamed(folder);
    const known = functionsOf(named);
    const first = await record(named, known, folder, untilReady);
    const all = await record(named, known, folder, work);
    const rest = [...all].filter((name) => !first.has(name));
    writeFileSync(FILE, `${[HEAD, ...[...first].sort(), ...rest.sort()].join('\n')}\n`);
    process.stdout.write(`${first.size} functions of a start, ${rest.length} of requests\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    run('cargo', 'build', ...BUILD);
  }
}

/** `proc_pid_smaps(5)` of the program's text, in kilobytes. */
function textOf(pid: number): { readonly size: number; readonly inMemory: number } {
  const smaps = readFileSync(`/proc/${pid}/smaps`, 'utf8');
  const text = /^\S+ r-xp .*\/ingest-server\nSize: +(\d+) kB\n(?:.*\n)*?Rss: +(\d+) kB$/m.exec(smaps);
  if (text === null) throw new Error('smaps does not show the text of the server');
  return { size: Number(text[1]), inMemory: Number(text[2]) };
}

async function check(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    process.stdout.write('the functions are in no order of ours but on x86_64 Linux\n');
    return;
  }
  // Cargo puts the binary that its tests were built with in the same place.
  run('cargo', 'build', ...BUILD);
  const server = await startServer('rs', { flags: ['--db', ':memory:'] });
  try {
    await untilReady(server);
    const { size, inMemory } = textOf(server.pid);
    process.stdout.write(`${inMemory} of ${size} kB of text are in memory at rest\n`);
    if (inMemory <= size * MOST_OF_TEXT) return;
    throw new Error('the order is out of date, or another linker was asked for: see decision 25');
  } finally {
    await server.stop();
  }
}

const argv = process.argv.slice(2);
if (argv.some((argument) => argument !== '--check')) {
  process.stderr.write('link-order: --check is the only flag\n');
  process.exitCode = 2;
} else {
  await (argv.includes('--check') ? check() : build()).catch((error: unknown) => {
    process.stderr.write(`link-order: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
