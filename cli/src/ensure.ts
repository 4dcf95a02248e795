/**
 * `twin-ingest ensure --db FILE`: starts a server for a database if none holds it, and prints its URL.
 *
 * Idempotent, also between many callers at once: each starts a candidate, and the lock of the database admits one.
 * The server outlives this command. Exit code: 0, 2 for a wrong flag, else that of the server.
 */

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { COMMAND, nameFlags } from './command-name.ts';
import { placeOf } from './connect/options.ts';
import { hasOtherCandidates, type Start, startCandidate } from './lifecycle/candidate.ts';
import { databasePath, serverOf } from './lifecycle/database.ts';
import { isRuntime, type Program, programOf, RUNTIMES, type Runtime } from './lifecycle/program.ts';
import { reasonOf } from './request.ts';
import { complainOf, printHelp, say, warnLines } from './terminal.ts';

const complain = complainOf('ensure');

const FLAGS: FlagTable<'db' | 'runtime' | 'program' | 'json'> = {
  db: { value: 'FILE', help: 'the database' },
  runtime: { value: 'NAME', help: `${RUNTIMES.join(' or ')}; the first that is there by default` },
  program: { value: 'FILE', help: 'start this server instead' },
  json: { help: 'print an object with url, pid, started and, after a start with a token, login_url' },
};

const HELP = `Usage: ${COMMAND} ensure --db FILE [flags] [-- SERVER FLAGS]

Starts a server for FILE if none holds it, and prints its URL. The server runs on afterwards; with the server's flag
--idle-exit SECONDS it ends when it is not used. Its log is FILE.log. ${COMMAND} stop --db FILE ends it.
Server flags have an effect only if this command starts the server. Its port is any free one without --port.

${flagLines(FLAGS)}
Exit code: 0 the server answers, 2 a wrong flag, else that of the server (docs/embedding.md).
`;

/** Flags that this command gives to the server itself. */
const OWN_FLAGS = ['db', 'ready-file'];
/** Time for a start, also for one by another caller. */
const START_MS = 30_000;
/** Time to wait for the URL of a server that another program starts. */
const ALONE_MS = 2_000;
/** A candidate is started again after this time: the server that refused the previous one may have ended. */
const AGAIN_MS = 500;
const POLL_MS = 50;
const REFUSED: readonly (number | null)[] = [CONFIG.exits.lock.code, CONFIG.exits.port.code];

interface Found {
  readonly url: string;
  readonly pid: number;
  readonly started: boolean;
  readonly login_url?: string;
}

interface Failed {
  readonly code: number;
  readonly message: string;
}

/** Runs the command; returns its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  letReadersLeave(() => undefined);
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  const split = words.indexOf('--');
  const [own, flags] = split < 0 ? [words, []] : [words.slice(0, split), words.slice(split + 1)];
  const parsed = parseFlags(own, FLAGS);
  if (parsed.kind === 'help') {
    printHelp(HELP);
    return 0;
  }
  const problems =
    parsed.kind === 'wrong'
      ? [...parsed.problems]
      : parsed.words.map((word) => `unexpected argument ${word}`);
  const given = parsed.kind === 'wrong' ? new Map<string, string>() : parsed.flags;
  const [db, runtime, file] = [given.get('db'), given.get('runtime'), given.get('program')];
  if (parsed.kind !== 'wrong' && db === undefined) problems.push('--db FILE is missing');
  if (runtime !== undefined && !isRuntime(runtime))
    problems.push(`--runtime must be ${RUNTIMES.join(' or ')}`);
  for (const name of OWN_FLAGS)
    if (flags.some((flag) => flag === `--${name}` || flag.startsWith(`--${name}=`)))
      problems.push(`--${name} cannot be among the server's flags`);
  if (problems.length > 0) return wrong(problems);
  const { cwd } = placeOf(process.env, process.cwd());
  const program =
    file === undefined
      ? await programOf(runtime as Runtime | undefined, complain)
      : { command: resolve(cwd, file), args: [] };
  if (typeof program === 'string') return fail({ code: 1, message: program });
  // Another program may be of another version, without this flag.
  const named = file === undefined ? [...flags, ...nameFlags(flags)] : flags;
  const found = await ensure(program, databasePath(db!, cwd), named);
  if ('message' in found) return fail(found);
  say(given.has('json') ? JSON.stringify(found) : found.url);
  return 0;
}

/** Returns the server that holds the database, started if needed. */
export async function ensure(
  program: Program,
  database: string,
  serverFlags: readonly string[],
): Promise<Found | Failed> {
  const port = serverFlags.some((flag) => /^--port(=|$)/.test(flag)) || process.env.INGEST_PORT;
  const flags = port ? serverFlags : [...serverFlags, '--port', '0'];
  const begun = performance.now();
  for (;;) {
    let start: Start;
    try {
      start = await startCandidate(program, database, flags, START_MS);
    } catch (error) {
      return { code: 1, message: reasonOf(error, 0) };
    }
    if (start.kind === 'ready') {
      const { url, pid, login_url } = start.ready;
      return { url, pid, started: true, ...(login_url === undefined ? {} : { login_url }) };
    }
    if (start.kind === 'late' || !REFUSED.includes(start.code)) return failure(start);
    // Another server holds the database or the port, or is starting.
    for (const again = performance.now() + AGAIN_MS; performance.now() < again; await sleep(POLL_MS)) {
      const owner = await serverOf(database);
      if (owner !== undefined) return { url: owner.url, pid: owner.pid, started: false };
    }
    const waitMs = hasOtherCandidates(database) ? START_MS : ALONE_MS;
    if (performance.now() - begun > waitMs) return failure(start);
  }
}

function failure(start: Exclude<Start, { kind: 'ready' }>): Failed {
  const message = start.stderr.trim();
  if (start.kind === 'late') return { code: 1, message: `the server was not ready in time\n${message}` };
  return { code: start.code ?? 1, message: message === '' ? 'the server ended at its start' : message };
}

function fail({ code, message }: Failed): number {
  // The message may be what a server printed before it ended.
  warnLines(`ensure: ${message}`);
  return code;
}

function wrong(problems: readonly string[]): number {
  for (const problem of problems) complain(problem);
  return 2;
}

process.exitCode = await run(process.argv.slice(2));
