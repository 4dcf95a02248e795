/**
 * The programs that store groups in bulk with a server's own store, and how they run.
 *
 * Tests pass programs that fail on purpose. Invariant: a run fails unless its program exits with 0, reports its
 * figures, and leaves a file with as many rows as reported.
 */
import { pathToFileURL } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { ROOT, TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { BenchFailure } from '../failure.ts';
import { runProgram } from '../load/drivers/program.ts';

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

/**
 * The figures that the program prints as JSON. `duration_ms` is the wall-clock time of inserts, commits and checkpoints.
 * `cpu_us` is the CPU time of all threads meanwhile.
 */
export type BulkFigures = Readonly<Record<'events' | 'stored' | 'duration_ms' | 'cpu_us', number>>;

interface BulkRun {
  /** Path of the database, whose file must not exist. */
  readonly database: string;
  /** Flags in addition to `--db`. `--groups` names a file with one batch body per line, of `events` events. */
  readonly flags: readonly string[];
  readonly events: number;
  /** Words before the program's command, such as those of `taskset`. */
  readonly wrapper: readonly string[];
  readonly lifetime: Lifetime;
}

/** Runs the program on a fresh database. Fails unless every event of the input is stored. */
export async function runBulk(
  target: TargetName,
  program: CeilingProgram,
  run: BulkRun,
): Promise<BulkFigures> {
  const { database, flags, events, wrapper, lifetime } = run;
  const failure = (what: string, details: readonly string[]) =>
    new BenchFailure('ceiling_failed', `the bulk insert of ${target} ${what}`, details);
  let printed = '';
  const { how, other } = await runProgram({
    command: [...wrapper, program.command, ...program.args, '--db', database, ...flags],
    lifetime,
    onLine(line) {
      printed += line;
      return false;
    },
  });
  if (how !== 'code 0') throw failure(`ended with ${how} instead of code 0`, other);
  let figures: BulkFigures;
  let rows: number;
  try {
    figures = JSON.parse(printed) as BulkFigures;
    const db = new Database(database, { readonly: true, fileMustExist: true });
    rows = Number(db.prepare('SELECT count(*) FROM events_readable').pluck().get());
    db.close();
  } catch (error) {
    throw failure('did not report its figures, or left no database', [String(error), ...other]);
  }
  const { events: read, stored } = figures;
  if ([read, stored, rows].every((count) => count === events)) return figures;
  const details = `${events} were given, ${read} read, ${stored} stored, ${rows} rows found`;
  throw failure('did not store every event', [details]);
}
