/** Tests `pnpm cluster:trim` with real servers and a real node of NATS. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { askNats } from '@twin-ingest/testkit/nats/ask.ts';
import { loopbackPlaces } from '@twin-ingest/testkit/nats/cluster.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { Board } from '../src/board.ts';
import { STREAM } from '../src/member.ts';
import { start } from './run-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-trim-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const program = await natsProgram();
const skip = 'missing' in program ? program.missing : false;

test('wrong flags are all reported, with exit 2', async () => {
  const argv = [
    '--servers',
    'http://127.0.0.1:1,x',
    '--nats',
    '127.0.0.1:2',
    '--token-file',
    'absent',
    'word',
  ];
  const { code, stderr } = await start('trim/main.ts', argv, folder).ended;
  assert.equal(code, 2);
  assert.deepEqual(stderr.split('\n').slice(0, -1), [
    'cluster:trim: unexpected argument word',
    'cluster:trim: --servers must be http://HOST:PORT, separated by commas',
    'cluster:trim: --nats must be nats://HOST:PORT',
    'cluster:trim: --token-file cannot be read: ENOENT',
  ]);
});

test('a stream loses what all copies and the backup have, and nothing while one is away', {
  skip,
}, async () => {
  const lifetime = new Lifetime();
  try {
    const path = 'path' in program ? program.path : '';
    const places = await loopbackPlaces(folder, 1);
    const board = await Board.start(
      { program: path, folder, places, runtimes: ['rs', 'ts'], port: 0 },
      lifetime,
    );
    const [node] = board.nats.nodes;
    const client = new ApiClient(board.members[0]!.port);
    await client.ingest(Array.from({ length: 20 }, () => event()));
    const servers = board.members.map(({ port }) => `http://127.0.0.1:${port}`);
    const argv = ['--servers', servers.join(','), '--nats', node!.url];
    const first = async (): Promise<number> => {
      const info = await askNats<{ state: { first_seq: number } }>(
        node!.place.port,
        `$JS.API.STREAM.INFO.${STREAM}`,
      );
      return info.state.first_seq;
    };

    await board.members[1]!.stop();
    const refused = await start('trim/main.ts', argv, folder).ended;
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^cluster:trim: http:.*\/api\/health does not answer: ECONNREFUSED\n$/);
    assert.equal(await first(), 1);

    await board.members[1]!.start();
    const { code, stdout, stderr } = await start('trim/main.ts', argv, folder).ended;
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
