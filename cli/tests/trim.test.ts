/** Tests `twin-ingest trim` with real servers and a real node of NATS. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { askNats } from '@twin-ingest/testkit/nats/ask.ts';
import { NatsCluster } from '@twin-ingest/testkit/nats/cluster.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { run } from './run-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-trim-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const STREAM = 'board';
const program = await natsProgram();
const skip = 'missing' in program ? program.missing : false;

test('wrong flags are all reported, with exit 2', async () => {
  const servers = 'http://127.0.0.1:1,x';
  const argv = ['--servers', servers, '--nats', '127.0.0.1:2', '--token-file', 'absent', 'word'];
  const { code, stderr } = await run('trim', argv, { cwd: folder });
  assert.equal(code, 2);
  assert.deepEqual(stderr.split('\n').slice(0, -1), [
    'trim: unexpected argument word',
    'trim: --servers must be http://HOST:PORT, separated by commas',
    'trim: --nats must be nats://HOST:PORT',
    'trim: --token-file "absent" does not exist',
  ]);
});

test('a stream loses what all copies and the backup have, and nothing while one is away', {
  skip,
}, async () => {
  const lifetime = new Lifetime();
  try {
    const nats = await NatsCluster.onLoopback('path' in program ? program.path : '', folder, 1);
    lifetime.add(() => nats.stop());
    await nats.start();
    const [node] = nats.nodes;
    const shared = [
      '--store',
      'jetstream',
      '--nats',
      node!.url,
      '--stream',
      STREAM,
      '--nats-replicas',
      '1',
      '--discard-large-metadata',
    ];
    const begin = async (target: TargetName, port = 0): Promise<RunningServer> => {
      const flags = ['--db', join(folder, `${target}.db`), '--port', String(port), ...shared];
      const server = await startServer(target, { cwd: folder, flags });
      lifetime.add(() => server.stop());
      return server;
    };
    const [one, two] = [await begin('rs'), await begin('ts')];
    const client = new ApiClient(one.port);
    await client.ingest(Array.from({ length: 20 }, () => event()));
    const argv = ['--servers', `${one.url},${two.url}`, '--nats', node!.url];
    const first = async (): Promise<number> => {
      const info = await askNats<{ state: { first_seq: number } }>(
        node!.place.port,
        `$JS.API.STREAM.INFO.${STREAM}`,
      );
      return info.state.first_seq;
    };

    await two.stop();
    const refused = await run('trim', argv, { cwd: folder });
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^trim: http:.*\/api\/health does not answer: ECONNREFUSED\n$/);
    assert.equal(await first(), 1);

    await begin('ts', two.port);
    const { code, stdout, stderr } = await run('trim', argv, { cwd: folder });
    assert.deepEqual([code, stderr], [0, '']);
    const [, file] = /^the backup is (.*), up to 20\n2 servers have it; 20 messages left board\n$/.exec(
      stdout,
    )!;
    assert.ok(existsSync(file!));
    assert.equal(await first(), 21);
    const { ids } = await client.ingest([event()]);
    assert.deepEqual(ids, [21]);
    client.close();
  } finally {
    await lifetime.end();
  }
});
