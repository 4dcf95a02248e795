/** Fails and delays writes and syncs by strace (faults F4, F5, F6, F21, F24). */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { StartError } from '@twin-ingest/testkit/servers/server.ts';
import { MixedWork, requireSoundFile } from '../../src/mixed-work.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';
import { type Injection, injecting, requireStrace } from '../../src/strace.ts';

const POWER = ['--durability', 'power'];
const SYNCS = 'fsync,fdatasync';
const FAILED = { status: 503, code: 'storage_error' };

/** Starts on a file that exists, so that the faults hit the work and not the creation. */
async function startWith(
  context: ScenarioContext,
  injection: Injection,
  flags: readonly string[] = [],
  db = context.db(),
): Promise<RunningServer> {
  await (await context.start({ db })).stop();
  return context.start({ db, wrapper: injecting(injection), flags });
}

async function requireRecovery(context: ScenarioContext, work: MixedWork, db = context.db()): Promise<void> {
  const next = await context.start({ db });
  await work.requireAll(next.port);
  assert.deepEqual(await next.stop(), { code: 0, signal: null });
  requireSoundFile(db);
}

const END_MS = 10_000;

/** Checks that the server ends by itself. */
export async function requireFailure(server: RunningServer): Promise<void> {
  const late = new Promise((resolve) => setTimeout(() => resolve('it runs'), END_MS).unref());
  assert.deepEqual(await Promise.race([server.exited, late]), { code: 74, signal: null });
}

/** With `power` each group needs a sync, so the failed sync must refuse the group and end the server. */
export async function failedSync(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const path = `${context.db()}-wal`;
  const server = await startWith(context, { calls: SYNCS, effect: 'error=EIO', when: '9+', path }, POWER);
  const work = new MixedWork('sync');
  await work.send(server.port);
  await requireFailure(server);
  assert.ok(work.events.size > 0, 'events before the fault');
  for (const refusal of work.refusals.filter(({ code }) => code !== 'draining'))
    assert.equal(refusal.status, 503);
  assert.ok(work.events.size < 120, 'no acknowledgement after the failed sync');
  await requireRecovery(context, work);
}

/** Larger than the log that a checkpoint needs (rule STO-04). */
const LOGGED_EVENTS = 600;

/** The copy of the log into the database fails, while the log itself is whole. */
export async function failedCheckpoint(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const injection = { calls: 'pwrite64', effect: 'error=EIO', when: '1+', path: context.db() };
  const server = await startWith(context, injection);
  const work = new MixedWork('checkpoint');
  await work.send(server.port);
  const client = context.client(server);
  const events = Array.from({ length: LOGGED_EVENTS }, () => event({ metadata: 'x'.repeat(6_000) }));
  // The server may end before or after the answer.
  await client.post('/api/events/batch', { events }).catch(() => undefined);
  await requireFailure(server);
  await requireRecovery(context, work);
}

export async function failedWrite(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const path = `${context.db()}-wal`;
  const server = await startWith(context, { calls: 'pwrite64', effect: 'error=EIO', when: '150+', path });
  const work = new MixedWork('write');
  assert.equal(await work.send(server.port), false, 'the server ended');
  await requireFailure(server);
  assert.ok(work.events.size > 0);
  const first = work.refusals[0];
  if (first !== undefined && first.code !== 'telemetry' && first.code !== 'attachment')
    assert.deepEqual(first, FAILED);
  await requireRecovery(context, work);
}

/** Every write fails for want of space for a while, during every kind of work. */
export async function fullForAWhile(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const path = `${context.db()}-wal`;
  const server = await startWith(context, {
    calls: 'pwrite64',
    effect: 'error=ENOSPC',
    when: '150..155',
    path,
  });
  const client = context.client(server);
  const work = new MixedWork('full');
  assert.equal(await work.send(server.port), true, server.stderr());
  assert.ok(
    work.refusals.some(({ status }) => status === 507 || status === 503),
    'the server reported the full disk',
  );
  assert.equal((await client.get('/api/events?limit=1')).status, 200, 'reads go on');
  await until(async () => (await client.post('/api/events', event())).status === 201, 'recovery', 15_000);
  await work.requireAll(server.port);
  await server.stop();
  requireSoundFile(context.db());
}

const SYNC_DELAY_US = 100_000;

/** Each sync takes at least 0.1 s. The server answers everything, and its probe does not wait for the disk. */
export async function slowDisk(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const injection = { calls: SYNCS, effect: `delay_enter=${SYNC_DELAY_US}`, when: '1+' };
  const server = await startWith(context, injection, POWER);
  const works = Array.from({ length: 8 }, (_, at) => new MixedWork(`slow-${at}`));
  const sending = Promise.all(works.map((work) => work.send(server.port, 2)));
  const client = context.client(server);
  let slowestMs = 0;
  for (let probe = 0; probe < 10; probe += 1) {
    const begun = performance.now();
    assert.equal((await client.get('/livez')).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok((await sending).every(Boolean), server.stderr());
  assert.ok(slowestMs < 1_000, `/livez took ${slowestMs} ms`);
  for (const work of works) {
    for (const { status } of work.refusals) assert.equal(status, 503);
    await work.requireAll(server.port);
  }
  await server.stop();
  requireSoundFile(context.db());
}

const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink', 'pread64'];
const ERRORS = ['EIO', 'ENOSPC', 'EINTR', 'EDQUOT', 'EROFS', 'ENOMEM'];
const RANDOM_FAULTS = 6;

/** Whatever fails, acknowledged work is there once after the next start, and the server answers or ends with a code. */
export async function randomFaults(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const random = seededRandom(context.options.seed);
  for (let number = 0; number < RANDOM_FAULTS; number += 1) {
    const error = random.pick(ERRORS);
    // A call that is interrupted for ever has no end, on a real system either.
    const repeats = error === 'EINTR' ? '' : random.pick(['', '+', '+7']);
    const when = `${1 + random.below(60)}${repeats}`;
    const injection = { calls: random.pick(CALLS), effect: `error=${error}`, when };
    const name = `${injection.calls} ${injection.effect} ${injection.when}`;
    const db = context.db(`random-${number}.db`);
    const work = new MixedWork(`random-${number}`);
    try {
      const server = await startWith(context, injection, [], db);
      await work.send(server.port, 4);
      const { code, signal } = await server.stop();
      assert.ok(signal === null && [0, 74].includes(code!), `${name}: ${code} ${signal}\n${server.stderr()}`);
    } catch (error) {
      if (!(error instanceof StartError) || error.exit === undefined) throw error;
      assert.ok([65, 69, 73, 74].includes(error.exit.code!), `${name}: ${error.message}`);
    }
    await requireRecovery(context, work, db);
    context.count('faults');
  }
  context.note(`${context.counts.faults} random faults, 0 lost, 0 double`);
}
