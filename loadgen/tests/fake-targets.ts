/** The fake servers as targets. Nothing has to be built: the program is its own artefact, and it has no sources. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure, type FailureCode } from '../src/failure.ts';
import { batchBody, type Range } from '../src/load/bodies.ts';
import type { Pool, PoolSource } from '../src/load/pool.ts';

const PROGRAM = fileURLToPath(new URL('./fake-server.ts', import.meta.url));
const BATCH_EVENTS = 250;

/** Returns both servers; `faults` such as `rs:lose-one,ts:slow` make them faulty. */
export function fakeTargets(faults = ''): Readonly<Record<TargetName, Target>> {
  const of = new Map(faults.split(',').map((entry) => entry.split(':') as [string, string]));
  const fake = (name: TargetName): Target => ({
    ...TARGETS[name],
    command: process.execPath,
    args: [PROGRAM, `--fault=${of.get(name) ?? 'none'}`],
    artefact: PROGRAM,
    sources: [],
    hasOtherBuilds: false,
  });
  return { rs: fake('rs'), ts: fake('ts') };
}

/** A pool of generated events that is smaller than a few thousand events, so that it is sent more than once. */
export const SMALL_POOL: PoolSource = { corpus: undefined, seed: 1, most: 1500 };

export async function startFake(folder: string, fault: string) {
  const file = join(mkdtempSync(join(folder, 'fake-')), 'events.db');
  const server = await startServer('ts', { flags: ['--db', file] }, fakeTargets(`ts:${fault}`).ts);
  return {
    url: server.url,
    file,
    async send(pool: Pool, range: Range): Promise<number> {
      let acknowledged = 0;
      for (let first = range.first; first < range.first + range.count; first += BATCH_EVENTS) {
        const body = batchBody(pool, { first, count: BATCH_EVENTS });
        const answer = await fetch(`${server.url}/api/events/batch`, { method: 'POST', body });
        acknowledged += ((await answer.json()) as { readonly received: number }).received;
      }
      return acknowledged;
    },
    stop: () => server.stop(),
  };
}

/** Returns a check of a failure with this code, whose message and details match the text. */
export function failsWith(code: FailureCode, text: RegExp) {
  return (error: unknown) =>
    error instanceof BenchFailure &&
    error.code === code &&
    text.test([error.message, ...error.details].join('\n'));
}
