/**
 * A fixed set of events that a server's own store writes without HTTP, while another program counts.
 *
 * Invariant: the events are the same in every run.
 */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requestsOf } from '@twin-ingest/loadgen/load/bodies.ts';
import { writeBodies } from '@twin-ingest/loadgen/load/drivers/program.ts';
import { loadPool } from '@twin-ingest/loadgen/load/pool.ts';
import { CEILING_PROGRAMS } from '@twin-ingest/loadgen/run/contenders.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export const DATABASE = 'events.db';

/** Events and the groups in which they are stored. */
export interface Bulk {
  readonly events: number;
  readonly groupEvents: number;
  /** A file with a group in each line. */
  readonly groups: string;
}

/** Writes the groups to a file in the folder. */
export async function writeBulk(folder: string, events: number, groupEvents: number): Promise<Bulk> {
  const groups = join(folder, `groups-of-${groupEvents}.ndjson`);
  const pool = await loadPool({ corpus: undefined, payload: 'small', seed: 1, most: events });
  const requests = requestsOf(
    pool,
    { endpoint: 'batch', batchSize: groupEvents },
    { first: 0, count: events },
  );
  await writeBodies(groups, requests, new AbortController().signal);
  return { events, groupEvents, groups };
}

const run = promisify(execFile);

/** Stores the events in a fresh database, with `wrapper` before the command, and returns stderr. Throws if it fails. */
export async function storeBulk(
  target: TargetName,
  folder: string,
  { groups, groupEvents }: Bulk,
  wrapper: readonly [string, ...string[]],
): Promise<string> {
  const [tool, ...flags] = wrapper;
  const { command, args } = CEILING_PROGRAMS[target];
  const own = join(folder, `${target}-${tool}-${groupEvents}`);
  mkdirSync(own);
  const given = ['--db', join(own, DATABASE), '--groups', groups, '--durability', 'process'];
  try {
    const { stderr } = await run(tool, [...flags, command, ...args, ...given], { maxBuffer: 1 << 24 });
    return stderr;
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string };
    const cause = stderr.trim().split('\n').slice(-5).join('\n') || message;
    throw new Error(`${tool} with the ${target} store failed: ${cause}`);
  }
}
