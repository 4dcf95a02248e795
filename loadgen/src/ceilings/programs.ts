/** The programs that store groups in bulk with a server's own store, and the file of groups. */
import { pathToFileURL } from 'node:url';
import { ROOT, TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { requestsOf } from '../load/bodies.ts';
import { writeBodies } from '../load/drivers/program.ts';
import type { Pool } from '../load/pool.ts';

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

/** Writes the first `events` events of the pool's sequence as batch bodies, one a line with `groupEvents` events. */
export async function writeGroups(
  file: string,
  pool: Pool,
  events: number,
  groupEvents: number,
  signal: AbortSignal,
): Promise<void> {
  const shape = { endpoint: 'batch', batchSize: groupEvents } as const;
  await writeBodies(file, requestsOf(pool, shape, { first: 0, count: events }), signal);
}
