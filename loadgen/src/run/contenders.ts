/**
 * The programs that a run starts: the servers, the bulk inserts and the closed-loop generator.
 *
 * A comparison takes them as a parameter, so that tests can pass faulty ones.
 */
import { pathToFileURL } from 'node:url';
import { ROOT, TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { PLAIN_TARGETS } from '../../plain/targets.ts';

export interface Contenders {
  readonly targets: Readonly<Record<TargetName, Target>>;
  /** The plain servers, for `--plain` (decision 67). */
  readonly plain: Readonly<Record<TargetName, Target>>;
  /** Programs that measure the ceilings; `null`: no ceiling is measured. */
  readonly ceilings: Readonly<Record<TargetName, BulkProgram>> | null;
  /** Program of the closed-loop generator; absent: the real one. */
  readonly closedLoopProgram?: URL | undefined;
  /**
   * Folder of the checkout, whose `.bench` gets the result, raw data and the report. `null`: the servers are those of an
   * installed package, so the result names no commit, and is only printed.
   */
  readonly checkout: string | null;
}

/** Stores groups in bulk with a server's own store. `build` is a script of package.json; `null`: it runs from source. */
type BulkProgram = Pick<Target, 'command' | 'args' | 'artefact' | 'sources'> & { build: string | null };

const RS_BINARY = TARGETS.rs.artefact.replace(/[^/]+$/, 'ingest-ceiling');
const TS_SOURCE = `${ROOT}server-ts/ceiling/main.ts`;
/** Module that lets Node import SQL files as text, which the server's sources need. */
const TS_LOADER = pathToFileURL(`${ROOT}server-ts/tests/load-sql.ts`).href;

export const CEILING_PROGRAMS: Readonly<Record<TargetName, BulkProgram>> = {
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

export const REAL_CONTENDERS: Contenders = {
  targets: TARGETS,
  plain: PLAIN_TARGETS,
  ceilings: CEILING_PROGRAMS,
  checkout: ROOT,
};
