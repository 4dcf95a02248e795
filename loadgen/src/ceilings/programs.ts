/**
 * The programs that store groups in bulk with a server's own store, and how they run.
 *
 * Tests pass programs that fail on purpose. Invariant: a run fails unless its program exits with 0, reports its
 * figures, and leaves a file with as many rows as reported.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { BenchFailure } from '../failure.ts';
import { endProcess } from '../run/helper.ts';

export interface CeilingProgram extends Pick<Target, 'command' | 'args' | 'artefact' | 'sources'> {
  /** Script of package.json that builds the program; `null` when it runs from source. */
  readonly build: string | null;
}

export type CeilingPrograms = Readonly<Record<TargetName, CeilingProgram>>;

const RS_BINARY = TARGETS.rs.artefact.replace(/[^/]+$/, 'ingest-ceiling');
const TS_SOURCE = `${ROOT}server-ts/ceiling/main.ts`;
/** Module that lets Node import SQL files as text, which the server's sources need. */
const TS_LOADER = pathToFileURL(`${ROOT}server-ts/tests/load-sql.ts`).href;

export const CEILING_PROGRAMS: CeilingPrograms = {
  rs: {
    command: RS_BINARY,
    args: [],
    artefact: RS_BINARY,
    sources: [...TARGETS.rs.sources, 'server-rs/ceiling'],
    build: 'rust:ceiling',
  },
  ts: {
    command: process.execPath,
    args: ['--import', TS_LOADER, TS_SOURCE],
    artefact: TS_SOURCE,
    sources: [],
    build: null,
  },
};

/** Input and environment of one run of a program. */
export interface CeilingRun {
  /** Path of the database to create; the file must not exist. */
  readonly database: string;
  /** Flags in addition to `--db`. `--groups` names a file with one batch body per line. */
  readonly flags: readonly string[];
  /** Number of events in the input. */
  readonly events: number;
  /** Words before the program's command, such as those of `taskset`. */
  readonly wrapper: readonly string[];
  readonly lifetime: Lifetime;
}

/** Runs the program on a fresh database. Fails unless every event of the input is stored. */
export async function runBulk(
  target: TargetName,
  program: CeilingProgram,
  run: CeilingRun,
): Promise<BulkFigures> {
  const said = readSaid(target, await runToEnd(target, program, run));
  const { events, stored, duplicates } = said;
  const found = countRows(target, run.database);
  if ([events, stored, found].every((count) => count === run.events)) return said;
  throw failure(target, 'did not store every event', [
    `${run.events} were given, ${events} read, ${stored} stored, ${duplicates} duplicates, ${found} rows found`,
  ]);
}

/** The figures that the program prints as JSON. */
const FIGURES = ['events', 'stored', 'duplicates', 'duration_ms', 'cpu_us'] as const;
export type BulkFigures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** Runs the program and returns its standard output. */
async function runToEnd(target: TargetName, program: CeilingProgram, run: CeilingRun): Promise<string> {
  const flags = ['--db', run.database, ...run.flags];
  const [command, ...args] = [...run.wrapper, program.command, ...program.args, ...flags];
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').catch((error: unknown) => {
    throw failure(target, 'could not be started', [String(error)]);
  });
  const release = run.lifetime.add(() => endProcess(child));
  const [code, signal] = (await run.lifetime.orInterrupted(ended)) as [number | null, string | null];
  await release();
  if (code === 0) return output.stdout;
  throw failure(target, `ended with ${signal ?? `code ${code}`} instead of 0`, tail(output.stderr));
}

function readSaid(target: TargetName, stdout: string): BulkFigures {
  try {
    const said = JSON.parse(stdout) as BulkFigures;
    if (FIGURES.every((name) => typeof said[name] === 'number')) return said;
  } catch {
    // Reported below.
  }
  throw failure(target, 'did not say what it did', tail(stdout));
}

function countRows(target: TargetName, database: string): number {
  try {
    const db = new Database(database, { readonly: true, fileMustExist: true });
    try {
      return Number(db.prepare('SELECT count(*) FROM events_readable').pluck().get());
    } finally {
      db.close();
    }
  } catch (error) {
    throw failure(target, 'left no database that can be read', [String(error)]);
  }
}

function failure(target: TargetName, what: string, details: readonly string[]): BenchFailure {
  return new BenchFailure('ceiling_failed', `the bulk insert of ${target} ${what}`, details);
}
