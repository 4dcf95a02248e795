/** Tests uploads of attachments that end early, and concurrent ones. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import {
  attach,
  beginUpload,
  brokenFilesOf,
  exchange,
  filesOf,
  newEvent,
  readAttachment,
  sha256,
} from '../src/attachment-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const ATTACHMENT_UPLOADS: ScenarioFile = {
  name: 'attachment-uploads',
  about: 'uploads of attachments that end early, and that come at once',
  scenarios: [
    {
      name: 'an upload that ends early leaves no file and gives its room back',
      rules: ['ATT-01', 'ATT-04', 'ATT-05', 'ATT-09'],
      uses: 'each',
      run: cutUploads,
    },
    {
      name: 'a stalled upload is 408 and leaves no file',
      rules: ['ATT-09', 'HTT-11'],
      uses: 'each',
      waits: true,
      run: stalledUpload,
    },
    {
      name: 'uploads take room as their bytes arrive, in blocks',
      rules: ['ATT-04'],
      attacks: ['X7'],
      uses: 'each',
      run: admission,
    },
    {
      name: 'declared uploads that send nothing refuse no other upload',
      rules: ['ATT-04'],
      attacks: ['X7'],
      uses: 'each',
      run: declaredUploads,
    },
    {
      name: 'the same bytes from several clients at once are one file',
      rules: ['ATT-01', 'ATT-09'],
      uses: 'each',
      run: sameBytes,
    },
  ],
};

/** A multiple of the blocks. */
const ROOM = 73 * LIMITS.attachment_block_bytes;

async function cutUploads(context: ScenarioContext): Promise<void> {
  const server = await context.start({
    flags: ['--attachments-bytes', String(ROOM), '--max-attachment-bytes', String(ROOM)],
  });
  const { port } = server;
  const id = await newEvent(context.client(server));
  const empty = (): boolean => filesOf(context.db()).length === 0;
  const whole = Buffer.alloc(ROOM, 'w');
  const half = whole.subarray(0, ROOM / 2);

  // The client disconnects.
  const cut = await beginUpload(port, id, 'cut', ROOM, half);
  await until(() => !empty(), 'a temporary file');
  cut.close();
  await until(empty, 'no temporary file of a client that left');

  // A chunked body grows above the limit.
  const head = `PUT /api/events/${id}/attachments/long HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const long = Buffer.alloc(ROOM + 1, 'l');
  const chunked = Buffer.concat([
    Buffer.from(`${long.length.toString(16)}\r\n`),
    long,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const grown = await exchangeRaw(port, head, chunked);
  assert.equal(grown, 413);
  await until(empty, 'no temporary file of a body above the limit');

  // The digest belongs to other bytes.
  const mismatch = await exchange(port, 'PUT', `/api/events/${id}/attachments/digest`, whole, [
    ['content-digest', 'sha-256=:AAAA:'],
  ]);
  assert.equal(mismatch?.status, 422);
  await until(empty, 'no temporary file of other bytes');

  // The whole limit is available again.
  assert.equal(await attach(port, id, 'whole', whole), 201);
  assert.equal(await attach(port, id, 'more', Buffer.from('m')), 507);
  assert.equal(filesOf(context.db()).length, 1);
  assert.deepEqual(brokenFilesOf(context.db()), []);
  assert.deepEqual(await readAttachment(port, sha256(whole)), whole);
}

async function exchangeRaw(port: number, head: string, body: Buffer): Promise<number | undefined> {
  const connection = await Connection.open(port);
  const outgoing = { method: 'PUT', head: Buffer.from(head), body, awaitContinue: false };
  const answer = await connection.exchange(outgoing);
  connection.close();
  return answer.kind === 'response' ? answer.response.status : undefined;
}

async function stalledUpload(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const id = await newEvent(context.client(server));
  const stalled = await beginUpload(server.port, id, 'stalled', 1_000_000, Buffer.alloc(500_000));
  context.atEnd(() => stalled.close());
  await until(() => filesOf(context.db()).length === 1, 'a temporary file');
  const nothing = { method: 'PUT', head: Buffer.alloc(0), body: Buffer.alloc(0), awaitContinue: false };
  const answer = await stalled.exchange(nothing, 20_000);
  assert.equal(answer.kind === 'response' && answer.response.status, 408);
  assert.ok(await stalled.closedWithin(5_000), 'closed');
  await until(() => filesOf(context.db()).length === 0, 'no temporary file of a stalled upload');
}

const BLOCK = LIMITS.attachment_block_bytes;

async function admission(context: ScenarioContext): Promise<void> {
  const size = 25 * BLOCK;
  const flags = ['--max-attachment-bytes', String(size), '--attachments-bytes', String(2 * size)];
  const server = await context.start({ flags });
  const { port } = server;
  const client = context.client(server);
  const id = await newEvent(client);
  const used = async (): Promise<number> =>
    (await client.get('/api/health')).json<{ attachment_bytes: number }>().attachment_bytes;
  const begun = await Promise.all(
    ['a', 'b'].map((name) => beginUpload(port, id, name, size, Buffer.from('x'))),
  );
  await until(async () => (await used()) === 2 * BLOCK, 'two blocks');
  assert.equal(
    await attach(port, id, 'c', Buffer.alloc(size - BLOCK + 1, 'c')),
    201,
    'a part counts as a block',
  );
  assert.equal(await used(), size + 2 * BLOCK);
  assert.equal(await attach(port, id, 'd', Buffer.alloc(size, 'd')), 507, 'what arrived takes room');
  assert.equal(await used(), size + 2 * BLOCK, 'a refused upload gives its blocks back');
  begun[0]!.write(Buffer.alloc(size - 1, 'a'));
  const lost = await begun[0]!.exchange(NOTHING, 10_000);
  assert.equal(lost.kind === 'response' && lost.response.status, 507, 'the rest of a body does not fit');
  await until(async () => (await used()) === size + BLOCK, 'one upload less');
  begun[1]!.close();
  await until(() => filesOf(context.db()).length === 1, 'no upload');
  assert.equal(await attach(port, id, 'e', Buffer.alloc(size, 'c')), 201, 'other bytes');
  assert.equal(await used(), 2 * size);
  const other = await newEvent(client);
  assert.equal(await attach(port, other, 'again', Buffer.alloc(1)), 507);
  await server.stop();
  // At its start, a server counts each content once.
  const again = await context.start({ flags });
  assert.equal(await attach(again.port, id, 'g', Buffer.from('g')), 507);
  const freed = await context.client(again).send('DELETE', `/api/events?before=${id + 1}`, undefined, []);
  assert.equal(freed.status, 200, freed.text);
  assert.equal(await attach(again.port, other, 'f', Buffer.alloc(size, 'f')), 201);
}

const NOTHING = { method: 'PUT', head: Buffer.alloc(0), body: Buffer.alloc(0), awaitContinue: false };

async function declaredUploads(context: ScenarioContext): Promise<void> {
  const size = 1_000_000;
  const flags = ['--max-attachment-bytes', String(size), '--attachments-bytes', String(4 * size)];
  const server = await context.start({ flags });
  const { port } = server;
  const id = await newEvent(context.client(server));
  const idle = await Promise.all(
    Array.from({ length: 330 }, (_, at) => beginUpload(port, id, `idle-${at}`, size, Buffer.alloc(0))),
  );
  context.atEnd(() => {
    for (const connection of idle) connection.close();
  });
  for (let at = 0; at < 3; at++) {
    assert.equal(await attach(port, id, `whole-${at}`, Buffer.alloc(size, `${at}`)), 201);
  }
  assert.equal(await attach(port, id, 'too-much', Buffer.alloc(size, 'x')), 507, 'the bound still holds');
}

async function sameBytes(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const ids = (await client.ingest(Array.from({ length: 8 }, () => event()))).ids;
  const body = Buffer.alloc(700_000, 'same');
  const names = ['one', 'one', 'two'];
  const statuses = await Promise.all(
    ids.flatMap((id) => names.map((name) => attach(server.port, id, name, body))),
  );
  const count = (status: number): number => statuses.filter((one) => one === status).length;
  assert.deepEqual([count(201), count(200)], [2 * ids.length, ids.length], statuses.join(' '));
  // Concurrent uploads of different bytes under one name: the first one wins.
  const rivals = Array.from({ length: 6 }, (_, at) => Buffer.alloc(300_000, `rival ${at}`));
  const outcomes = await Promise.all(rivals.map((rival) => attach(server.port, ids[0]!, 'rival', rival)));
  assert.deepEqual([...outcomes].sort(), [201, 409, 409, 409, 409, 409]);
  const winner = rivals[outcomes.indexOf(201)]!;
  await until(() => filesOf(context.db()).length === 2, 'no file of those that lost');
  assert.deepEqual(brokenFilesOf(context.db()), []);
  assert.deepEqual(await readAttachment(server.port, sha256(winner)), winner);
  assert.deepEqual(await readAttachment(server.port, sha256(body)), body);
}
