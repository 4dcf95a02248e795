/** Tests what a cluster refuses: flags, databases, and large events. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { Nats, startNode } from '../../src/nats.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

/** What `--store jetstream` needs (rule CLU-01). */
const DISCARD = '--discard-large-metadata';

/** An event above the size of a message. */
export async function unsupported(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const flags = [...nats.flags, '--max-metadata-bytes', '2000000'];
  const server = await context.start({ flags });
  const client = context.client(server);
  const large = event({ metadata: { text: 'x'.repeat(1_100_000) } });
  const reply = await client.post('/api/events/batch', { events: [event(), large] });
  assert.deepEqual([reply.status, reply.json<{ code: string }>().code], [409, 'cluster_unsupported']);
  assert.deepEqual((await client.ingest([event()])).ids, [1]);
  await server.stop();
}

/** Databases that are no copy of this stream. */
export async function otherDatabases(context: ScenarioContext): Promise<void> {
  const nats = await Nats.start(context);
  const away = ['--store', 'jetstream', '--nats', 'nats://127.0.0.1:9', '--stream', 'x', DISCARD];
  const fresh = context.db('fresh.db');
  const none = await failedStart(context.target, ['--db', fresh, ...away], context.folder);
  assert.equal(none.code, 69);
  assert.deepEqual(plainLines(none.stderr), [
    `the stream x is not available at 127.0.0.1:9: unreachable; ${fresh} is new and needs it`,
  ]);

  const own = context.db('own.db');
  const local = await context.start({ db: own });
  await context.client(local).ingest([event()]);
  await local.stop();
  const ofOwn = await failedStart(context.target, ['--db', own, ...nats.flags], context.folder);
  assert.equal(ofOwn.code, 65);
  assert.deepEqual(plainLines(ofOwn.stderr), [
    `${own} has events of its own; name a new file with --db for the copy of a stream`,
  ]);

  const copy = context.db('first.db');
  await (await startNode(context, nats, context.target, 'first')).stop();
  const alone = await failedStart(context.target, ['--db', copy], context.folder);
  assert.equal(alone.code, 65);
  assert.deepEqual(plainLines(alone.stderr), [
    `${copy} is a copy of the stream board; start with --store jetstream or name another file with --db`,
  ]);
  const flags = nats.flags.map((flag) => (flag === 'board' ? 'other' : flag));
  const other = await failedStart(context.target, ['--db', copy, ...flags], context.folder);
  assert.equal(other.code, 65);
  assert.match(
    other.stderr,
    /is a copy of the stream board \d+, not of other \d+; name another file with --db/,
  );
}

/** A server of NATS that wants a token. */
export async function token(context: ScenarioContext): Promise<void> {
  const secret = 'a-token-that-no-log-line-has';
  const nats = await Nats.start(context, `authorization { token: "${secret}" }\n`);
  const [right, wrong] = [context.db('right'), context.db('wrong')];
  writeFileSync(right, `${secret}\n`, { mode: 0o600 });
  writeFileSync(wrong, `${secret}-not\n`, { mode: 0o600 });
  for (const flags of [[], ['--nats-token-file', wrong]]) {
    const db = context.db(`refused-${flags.length}.db`);
    const all = ['--db', db, ...nats.flags, ...flags];
    const { code, stderr } = await failedStart(context.target, all, context.folder);
    assert.equal(code, 69, stderr);
    assert.ok(!stderr.includes(secret), stderr);
  }
  const flags = [...nats.flags, '--nats-token-file', right];
  const server = await context.start({ flags });
  assert.deepEqual((await context.client(server).ingest([event()])).ids, [1]);
  await server.stop();
}

/** Wrong flags are exit 2 with their messages. */
export async function flags(context: ScenarioContext): Promise<void> {
  const problems = async (...given: string[]): Promise<string[]> => {
    const { code, stderr } = await failedStart(context.target, given, context.folder);
    assert.equal(code, 2);
    return plainLines(stderr);
  };
  assert.deepEqual(await problems('--store', 'jetstream'), [
    '--store needs --nats',
    '--store needs --stream',
    '--store needs --discard-large-metadata',
  ]);
  const stream = ['--store', 'jetstream', '--nats', 'nats://a', '--stream', 'x'];
  assert.deepEqual(await problems(...stream), ['--store needs --discard-large-metadata']);
  assert.deepEqual(await problems('--nats', 'nats://a', '--stream', 'x'), [
    '--nats needs --store jetstream',
    '--stream needs --store jetstream',
  ]);
  const secret = await problems('--store', 'jetstream', '--nats', 'nats://t0ken@a', '--stream', 'x', DISCARD);
  assert.deepEqual(secret, ['--nats must not contain a user or a token; name a file with --nats-token-file']);
  const all = ['--store', 'jetstream', '--nats', 'http://a', '--stream', 'a.b', DISCARD];
  assert.deepEqual(await problems(...all, '--forward', 'http://a'), [
    '--nats must be a URL such as nats://127.0.0.1:4222, without user, path and query, not "http://a"',
    '--stream must be 1 to 64 letters, digits, hyphens and underscores, not "a.b"',
    '--forward cannot be combined with --store jetstream',
  ]);
}
