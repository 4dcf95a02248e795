/** Tests `--socket` (rule PRO-11): the same server on a Unix domain socket, whose file only its user can open. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { ANSWER_FORMATS, mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { type Answer, Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import { SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { eventsQueued } from '../src/conditions.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { holdWriteLock } from '../src/write-lock.ts';

export const SOCKET: ScenarioFile = {
  name: 'socket',
  about: 'a Unix domain socket next to the port',
  scenarios: [
    {
      name: 'the socket answers each request as the port does',
      rules: ['PRO-11', 'LAW'],
      uses: 'each',
      run: sameAnswers,
    },
    {
      name: 'the ready line ends with the path, and the file has mode 0600 as long as it exists',
      rules: ['PRO-11', 'PRO-01'],
      uses: 'each',
      run: privateFile,
    },
    {
      name: 'a clean stop answers received requests and removes the file',
      rules: ['PRO-11', 'PRO-07'],
      uses: 'each',
      run: cleanStop,
    },
    {
      name: 'a clean stop keeps a file that replaced its own',
      rules: ['PRO-11'],
      uses: 'each',
      run: otherFile,
    },
    {
      name: 'the next start removes the file of a server that was killed',
      rules: ['PRO-11'],
      uses: 'each',
      run: stale,
    },
    {
      name: 'a path where a process listens is exit 69, and that process continues',
      rules: ['PRO-11'],
      uses: 'each',
      run: inUse,
    },
    {
      name: 'a path that cannot be a socket is exit 69, and its file stays',
      rules: ['PRO-11'],
      uses: 'each',
      run: unusable,
    },
    {
      name: 'the socket and the port share their connections',
      rules: ['PRO-11', 'HTT-12'],
      uses: 'each',
      run: sharedConnections,
    },
  ],
};

function pathOf(context: ScenarioContext): string {
  return join(context.folder, 's.sock');
}

function clientAt(context: ScenarioContext, path: string): ApiClient {
  const client = new ApiClient(path);
  context.atEnd(() => client.close());
  return client;
}

/** A request with a stable answer: method, path, headers, body. */
type Asked = readonly [
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
];

const JSON_BODY = { 'content-type': 'application/json' };

async function sameAnswers(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const flags = ['--socket', path, '--bench', '--max-body-bytes', '4096', '--queue-bytes', '4096'];
  const server = await context.start({ flags });
  await context.client(server).ingest([event({ event_id: 'known', metadata: { a: [1, 'é'] } })]);
  const known = JSON.stringify(event({ event_id: 'known' }));
  const asked: Asked[] = [
    ['GET', '/livez', {}],
    ['GET', '/', {}],
    ['GET', '/api/events', {}],
    ['HEAD', '/api/events/1', {}],
    ['GET', '/api/events/2', {}],
    ['GET', '/api/snapshot/events', {}],
    ['GET', '/api/events?limit=0', {}],
    ...ANSWER_FORMATS.flatMap((format): Asked[] => [
      ['GET', '/api/events', { accept: mediaTypeOf(format) }],
      ['GET', '/api/snapshot/events', { accept: mediaTypeOf(format) }],
    ]),
    ['POST', '/api/events/batch', { 'content-type': mediaTypeOf('ndjson') }, `${known}\n{\n`],
    ['POST', '/api/events/batch', { 'content-type': mediaTypeOf('msgpack') }, '\x01\x02'],
    ['POST', '/api/events/batch', { 'content-type': mediaTypeOf('protobuf') }, ''],
    ['POST', '/api/events', JSON_BODY, known],
    ['POST', '/api/events', JSON_BODY, '{}'],
    ['POST', '/api/events', JSON_BODY, 'x'.repeat(4097)],
    ['POST', '/api/events', { 'content-type': 'text/plain' }, known],
    ['POST', '/api/events/batch', { ...JSON_BODY, expect: '100-continue' }, `{"events":[${known}]}`],
    ['POST', '/bench/echo', {}, 'é'.repeat(300_000)],
    ['DELETE', '/api/events', {}],
    ['OPTIONS', '/api/events', {}],
    ['GET', '/nothing', {}],
    ['GET', '/api/stats', { origin: `http://127.0.0.1:${server.port}` }],
    ['GET', '/api/stats', { origin: `http://127.0.0.1:${server.port + 1}` }],
    ['GET', '/api/stats', { host: 'example.org' }],
    ['GET', '/api/stats', { connection: 'close' }],
    ['GET', '/api/stats', { 'bad name': 'x' }],
    ['GET', '/api/stats', { host2: 'x'.repeat(40_000) }],
  ];
  for (const request of asked) {
    const [tcp, unix] = [await ask(server.port, request), await ask(path, request)];
    assert.deepEqual(unix, tcp, `${request[0]} ${request[1]}`);
  }
  const streams = await Promise.all([server.port, path].map((at) => SseClient.open(at)));
  for (const stream of streams) context.atEnd(() => stream.close());
  await clientAt(context, path).ingest([event()]);
  for (const stream of streams) await stream.waitFor(() => stream.ids.length === 1, 'the event');
  assert.deepEqual(
    streams.map((stream) => stream.ids),
    [[2], [2]],
  );
}

/** Returns the whole answer as text without the date, and whether the connection closed after it. */
async function ask(at: number | string, [method, path, given, body = '']: Asked): Promise<string> {
  const connection = await Connection.open(at);
  const headers = {
    host: 'localhost',
    ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
  const list = Object.entries({ ...headers, ...given }).map(
    ([name, value]) => [name, String(value)] as const,
  );
  const answer = await connection.exchange(compose(method, path, list, Buffer.from(body)));
  const isClosed = await connection.closedWithin(50);
  connection.close();
  return `${textOf(answer)}${isClosed ? ' closed' : ''}`;
}

function textOf(answer: Answer): string {
  if (answer.kind !== 'response') return answer.kind;
  const { status, headers, interim, body } = answer.response;
  const kept = headers.filter(([name]) => name.toLowerCase() !== 'date');
  return JSON.stringify({ status, kept, interim: interim.map((one) => one.status), body: body.toString() });
}

async function privateFile(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const modes = new Set<string>();
  const look = (): void => {
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file !== undefined) modes.add((file.mode & 0o777).toString(8));
  };
  const timer = setInterval(look, 0);
  context.atEnd(() => clearInterval(timer));
  const server = await context.start({
    env: { INGEST_SOCKET: path },
    wrapper: ['sh', '-c', 'umask 0; exec "$@"', 'sh'],
  });
  look();
  assert.deepEqual([...modes], ['600']);
  const line = server.stdout().trimEnd();
  assert.ok(line.endsWith(`,"socket":${JSON.stringify(path)}}`), line);
}

async function cleanStop(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const server = await context.start({ flags: ['--socket', path] });
  const client = clientAt(context, path);
  // The second connection sends no request.
  const idle = await Connection.open(path);
  context.atEnd(() => idle.close());
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = client.post('/api/events', event());
  await eventsQueued(context.client(server), 1);
  server.signal('SIGTERM');
  await until(() => !existsSync(path), 'the file is removed');
  lock.release();
  assert.equal((await waiting).status, 201);
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stderr());
  assert.ok(!existsSync(path));
}

async function otherFile(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const server = await context.start({ flags: ['--socket', path] });
  unlinkSync(path);
  writeFileSync(path, 'mine');
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.equal(readFileSync(path, 'utf8'), 'mine');
  unlinkSync(path);
  const gone = await context.start({ flags: ['--socket', path] });
  unlinkSync(path);
  assert.deepEqual(await gone.stop(), { code: 0, signal: null });
  assert.ok(!existsSync(path));
}

async function stale(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const flags = ['--socket', path];
  const first = await context.start({ flags });
  await clientAt(context, path).ingest([event()]);
  await first.kill();
  assert.ok(lstatSync(path).isSocket(), 'a killed server leaves its file');
  const second = await context.start({ flags, target: context.other });
  await second.kill();
  await context.start({ flags });
  const { ids } = await clientAt(context, path).ingest([event()]);
  assert.deepEqual(ids, [2]);
}

async function inUse(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  await context.start({ flags: ['--socket', path] });
  for (const target of ['rs', 'ts'] as const) {
    const ended = await failedStart(
      target,
      ['--db', context.db('other.db'), '--socket', path],
      context.folder,
    );
    assert.equal(ended.code, 69, ended.stderr);
    assert.equal(ended.stdout, '');
    assert.deepEqual(plainLines(ended.stderr), [
      `${path} is already in use; stop what listens there or choose another --socket`,
    ]);
    assert.ok(!existsSync(context.db('other.db')), 'no database is made');
  }
  assert.equal((await clientAt(context, path).get('/livez')).status, 200);
}

async function unusable(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const fails = async (at: string, message: string): Promise<void> => {
    const ended = await failedStart(context.target, ['--db', context.db(), '--socket', at], context.folder);
    assert.equal(ended.code, 69, ended.stderr);
    assert.deepEqual(plainLines(ended.stderr), [message]);
  };
  const notASocket = (at: string): string =>
    `${at} exists and is not a socket; move it away or choose another --socket`;
  writeFileSync(path, 'mine');
  await fails(path, notASocket(path));
  assert.equal(readFileSync(path, 'utf8'), 'mine');
  await fails(context.folder, notASocket(context.folder));
  const link = join(context.folder, 'link');
  symlinkSync(join(context.folder, 'nowhere'), link);
  await fails(link, notASocket(link));
  assert.ok(lstatSync(link).isSymbolicLink());
  for (const at of [
    join(context.folder, 'none', 's.sock'),
    join(context.folder, 'x'.repeat(120)),
    join(path, 's'),
  ]) {
    await fails(at, `cannot listen on ${at}`);
  }
  // The server checks the port first, and the database last.
  const socket = join(context.folder, 'free.sock');
  writeFileSync(context.db(), 'no database');
  const ended = await failedStart(context.target, ['--db', context.db(), '--socket', socket], context.folder);
  assert.equal(ended.code, 65, ended.stderr);
  assert.ok(!existsSync(socket), 'a start that fails leaves no file');
}

/** A connection and the bytes that it has received. */
interface Idle {
  readonly socket: net.Socket;
  text: string;
}

/** Command that sets a limit of descriptors, with which a server accepts four connections (rule HTT-12). */
const FEW = 'ulimit -n 100; exec "$@"';

async function sharedConnections(context: ScenarioContext): Promise<void> {
  const path = pathOf(context);
  const server = await context.start({ flags: ['--socket', path], wrapper: ['sh', '-c', FEW, 'sh'] });
  const open = (at: number | string): Idle => {
    const socket = typeof at === 'string' ? net.connect(at) : net.connect(at, '127.0.0.1');
    context.atEnd(() => socket.destroy());
    const idle: Idle = { socket, text: '' };
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        idle.text += bytes.toString();
      });
    return idle;
  };
  const taken = [open(path), open(server.port), open(path), open(server.port)];
  for (const { socket } of taken) socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => taken.every(({ text }) => text.endsWith('{"status":"ok"}')), 'four connections');
  for (const at of [path, server.port]) {
    const refused = open(at);
    await until(() => refused.text.includes('"code":"overloaded"'), 'the refusal');
  }
  taken[1]!.socket.destroy();
  // Connections of the port and of the socket share one limit.
  await until(async () => {
    const next = new ApiClient(path);
    try {
      return (await next.get('/livez')).status === 200;
    } catch {
      return false;
    } finally {
      next.close();
    }
  }, 'a place');
}
