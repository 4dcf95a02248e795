/** Fails the last checkpoint, the one of a clean stop (faults F5 and F10). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { MixedWork, requireSoundFile } from '../../src/mixed-work.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { injecting, requireStrace } from '../../src/strace.ts';

/** So little work that no checkpoint runs before the stop. */
const ROUNDS = 2;
const STOP_MS = 3_000;

/** The copy of the log into the database fails, or its sync. The log keeps every acknowledged event. */
export async function failedLastCheckpoint(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  for (const calls of ['pwrite64', 'fsync,fdatasync']) {
    const db = context.db(`${calls}.db`);
    await (await context.start({ db })).stop();
    const wrapper = injecting({ calls, effect: 'error=EIO', when: '1+', path: db });
    const server = await context.start({ db, wrapper });
    const work = new MixedWork('last');
    assert.equal(await work.send(server.port, ROUNDS), true, server.stderr());
    assert.deepEqual(work.refusals, []);
    assert.deepEqual(await server.stop(), { code: 74, signal: null }, calls);
    assert.match(server.stderr(), /"code":"storage_error"/);
    assert.ok(existsSync(`${db}-wal`), 'the log stays');
    const next = await context.start({ db });
    await work.requireAll(next.port);
    assert.deepEqual(await next.stop(), { code: 0, signal: null });
    requireSoundFile(db);
  }
}

/** A reader of another program is no failure: the log stays, and the stop does not wait for the reader. */
export async function heldLastCheckpoint(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  const reader = new Database(context.db(), { readonly: true });
  context.atEnd(() => reader.close());
  reader.exec('BEGIN');
  assert.equal(reader.prepare('SELECT count(*) FROM events').pluck().get(), 1);
  await client.ingest([event()]);
  const begun = performance.now();
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr());
  const ms = performance.now() - begun;
  assert.ok(ms < STOP_MS, `the stop took ${ms} ms`);
  assert.ok(existsSync(`${context.db()}-wal`), 'the log stays');
  assert.ok(!existsSync(`${context.db()}.owner`), 'a clean exit');
  const next = await context.start();
  const { events } = (await context.client(next).get('/api/events')).json<{ events: unknown[] }>();
  assert.equal(events.length, 2);
  reader.close();
  await next.stop();
  requireSoundFile(context.db());
}
