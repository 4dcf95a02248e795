/** Replaces, cuts and locks files of a database (faults F8, F11, F12). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';
import { requireFailure } from './disk.ts';

async function fill(context: ScenarioContext, db = context.db()): Promise<void> {
  const server = await context.start({ db });
  await context
    .client(server)
    .ingest(Array.from({ length: 300 }, () => event({ metadata: 'x'.repeat(1_000) })));
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
}

/** A copy takes the name of the file in use. Events for the old file would be lost with it. */
export async function replaced(context: ScenarioContext): Promise<void> {
  await fill(context);
  const copy = context.db('copy.db');
  copyFileSync(context.db(), copy);
  const bytes = readFileSync(copy);
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  renameSync(copy, context.db());
  const codes: string[] = [];
  await until(
    async () => {
      const reply = await client.post('/api/events', event()).catch(() => undefined);
      if (reply !== undefined && reply.status !== 201) codes.push(reply.json<{ code: string }>().code);
      return reply === undefined || reply.status === 503;
    },
    'the replaced file',
    5_000,
  );
  for (const code of codes) assert.ok(['storage_lost', 'draining'].includes(code), code);
  await requireFailure(server);
  assert.ok(readFileSync(context.db()).equals(bytes), 'the server leaves the new file alone');
}

/** The file loses its end, as after a broken copy. */
export async function truncated(context: ScenarioContext): Promise<void> {
  await fill(context);
  for (const share of [0.5, 0.9]) {
    const db = context.db(`cut-${share}.db`);
    copyFileSync(context.db(), db);
    truncateSync(db, Math.floor(statSync(db).size * share));
    const before = readFileSync(db);
    const exit = await failedStart(context.target, ['--db', db], context.folder);
    assert.equal(exit.code, 65, exit.stderr);
    assert.ok(exit.stderr.includes(`${db} is corrupt`), exit.stderr);
    assert.ok(readFileSync(db).equals(before), 'the file is left as it was');
  }
}

/** A file system that is read-only at the start. */
export async function readOnlyDisk(context: ScenarioContext): Promise<void> {
  const disk = join(context.folder, 'disk');
  mkdirSync(disk);
  const db = join(disk, 'events.db');
  await fill(context, db);
  const before = readFileSync(db);
  for (const args of [
    ['--bind', disk, disk],
    ['-o', 'remount,bind,ro', disk],
  ]) {
    const mount = spawnSync('mount', args, { encoding: 'utf8' });
    if (mount.status !== 0) context.skip(`a folder cannot be made read-only: ${mount.stderr.trim()}`);
    if (args[0] === '--bind') context.atEnd(() => spawnSync('umount', ['-l', disk]));
  }
  const exit = await failedStart(context.target, ['--db', db], context.folder);
  assert.equal(exit.code, 65, exit.stderr);
  assert.equal(exit.stdout, '', 'no ready line');
  assert.ok(exit.stderr.includes(db), exit.stderr);
  assert.ok(readFileSync(db).equals(before));
}
