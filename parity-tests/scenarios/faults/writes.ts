/**
 * Kills a server at its Nth write, sync or change of a name (fault F2). The sweeps cover each kind of call in a short run.
 * The run has events, attachments, telemetry, a deletion, a backup, and the checkpoint of a clean stop.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { StartError } from '@twin-ingest/testkit/servers/server.ts';
import { MixedWork, requireSoundFile } from '../../src/mixed-work.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { injecting, requireStrace } from '../../src/strace.ts';

interface Sweep {
  readonly calls: string;
  /** Suffix of the file that is written; any file without it. */
  readonly file?: string;
  /** Whether a sample has every number, because there are few. */
  readonly isShort?: boolean;
}

const SWEEPS: readonly Sweep[] = [
  { calls: 'pwrite64' },
  { calls: 'pwrite64', file: '' },
  { calls: 'pwrite64', file: '-wal' },
  { calls: 'fsync,fdatasync' },
  { calls: 'rename,renameat,renameat2,unlink,unlinkat,ftruncate', isShort: true },
];
/** Growth of the number of the write in a sample. */
const SAMPLE_STEP = 4;

export async function killAtWrites(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  for (const [at, sweep] of SWEEPS.entries()) await killInSweep(context, sweep, at);
  context.note(`${context.counts.kills} kills at writes, 0 lost, 0 double`);
  assert.ok(context.counts.kills! >= SWEEPS.length, 'every sweep has a kill');
}

/** Raises the number of the write until a run reaches its end. */
async function killInSweep(context: ScenarioContext, sweep: Sweep, sweepAt: number): Promise<void> {
  const { everyWrite, seed } = context.options;
  let nth = 1;
  while (await killAt(context, sweep, nth, `s${sweepAt}-${nth}`))
    nth = everyWrite || sweep.isShort ? nth + 1 : nth * SAMPLE_STEP + (seed % SAMPLE_STEP);
}

/** Returns whether the server was killed. */
async function killAt(
  context: ScenarioContext,
  { calls, file }: Sweep,
  nth: number,
  name: string,
): Promise<boolean> {
  const db = context.db(`${name}.db`);
  if (file !== undefined) await (await context.start({ db })).stop();
  const path = file === undefined ? {} : { path: `${db}${file}` };
  const wrapper = injecting({ calls, effect: 'signal=KILL', when: String(nth), ...path });
  const work = new MixedWork(name);
  let isKilled: boolean;
  try {
    const server = await context.start({ db, wrapper });
    await work.send(server.port);
    const { code, signal } = await server.stop();
    isKilled = signal === 'SIGKILL';
    assert.ok(isKilled || code === 0, `${name}: exit ${code}, ${signal}\n${server.stderr()}`);
  } catch (error) {
    if (!(error instanceof StartError) || error.exit?.signal !== 'SIGKILL') throw error;
    isKilled = true;
  }
  const next = await context.start({ db });
  await work.requireAll(next.port);
  assert.deepEqual(await next.stop(), { code: 0, signal: null });
  requireSoundFile(db);
  for (const suffix of ['', '.lock']) rmSync(`${db}${suffix}`, { force: true });
  for (const suffix of ['.attachments', '.backups'])
    rmSync(`${db}${suffix}`, { recursive: true, force: true });
  if (isKilled) context.count('kills');
  return isKilled;
}
