/** Tests a stream that loses its first messages: backups, new databases and old copies. */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { attach, readAttachment, sha256 } from '../../src/attachment-client.ts';
import { fillEveryKind } from '../../src/every-kind.ts';
import { rowsOf } from '../../src/forward-pair.ts';
import { askNats, clusterOf, compareAnswers, Nats, STREAM, startNode, untilApplied } from '../../src/nats.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

interface Backup {
  readonly file: string;
  readonly newest_id: number;
  readonly sequence: number;
}

/** A backup, a purge up to it, and servers with and without the backup. */
export async function trimmed(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const first = await startNode(context, nats, context.target, 'first');
  const one = context.client(first);
  await (await startNode(context, nats, context.other, 'late')).stop();
  await fillEveryKind(one);
  await one.send('DELETE', '/api/events?before=100', undefined, []);
  const [held, later] = [Buffer.from('of the backup'), Buffer.from('of the bucket')];
  assert.equal(await attach(first.port, 1200, 'held', held), 201);
  const reply = await one.send('POST', '/api/backup', undefined, []);
  assert.equal(reply.status, 201);
  const { file, sequence, newest_id: newest } = reply.json<Backup>();
  assert.deepEqual([sequence, newest], [1202, 1201]);
  await one.ingest([event({ event_id: 'after' })]);
  assert.equal(await attach(first.port, 1200, 'later', later), 201);
  const purge = await askNats<{ success: boolean; purged: number }>(
    nats.port,
    `$JS.API.STREAM.PURGE.${STREAM}`,
    JSON.stringify({ seq: sequence + 1 }),
  );
  assert.deepEqual([purge.success, purge.purged], [true, sequence]);

  copyFileSync(file, context.db('second.db'));
  cpSync(`${file}.attachments`, `${context.db('second.db')}.attachments`, { recursive: true });
  const second = await startNode(context, nats, context.other, 'second');
  const two = context.client(second);
  await untilApplied(two, (await clusterOf(one)).applied);
  await compareAnswers(one, two);
  for (const bytes of [held, later])
    assert.deepEqual(await readAttachment(second.port, sha256(bytes)), bytes);
  assert.deepEqual(rowsOf(context.db('second.db')), rowsOf(context.db('first.db')));
  // The copy from the backup recognises what it holds, and gives out the ids of the stream.
  const { ids, duplicates } = await two.ingest([event({ event_id: 'after' }), event()]);
  assert.deepEqual([ids, duplicates], [[1205], 1]);
  await untilApplied(one, 1205);
  await compareAnswers(one, two);

  const empty = context.db('empty.db');
  const refused = await failedStart(context.target, ['--db', empty, ...nats.flags], context.folder);
  assert.equal(refused.code, 65);
  assert.deepEqual(plainLines(refused.stderr), [
    `the stream ${STREAM} no longer has its first messages, and ${empty} is new; start from a backup of another server (POST /api/backup)`,
  ]);
  const late = context.client(await startNode(context, nats, context.target, 'late'));
  await until(async () => (await clusterOf(late)).failure === 'messages_missing', 'a failure');
  const stale = await late.get('/api/events');
  assert.ok(stale.headers.some(([name, value]) => name === 'cluster-stale' && value === 'messages_missing'));
  assert.equal((await late.post('/api/events', event())).status, 503);
  await Promise.all([first.stop(), second.stop()]);
}
