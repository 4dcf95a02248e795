/** Tests the sign-in of a page: the cookie, the login code, the token file. No secret reaches a log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import { type Header, headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SIGN_IN: ScenarioFile = {
  name: 'sign-in',
  about: "the page's cookie and the token's file",
  scenarios: [
    {
      name: 'the cookie of one server opens the other on the same port, for seven days',
      rules: ['SEC-07', 'PRO-08'],
      uses: 'both',
      run: eitherServer,
    },
    {
      name: 'a token file that is open to other users is refused',
      rules: ['SEC-06', 'PRO-03'],
      uses: 'each',
      run: openTokenFile,
    },
    {
      name: 'a login code opens one window',
      rules: ['SEC-09', 'HTT-02', 'HTT-05', 'PRO-01', 'PRO-16'],
      uses: 'each',
      run: loginCode,
    },
    {
      name: 'a start creates a token file that does not exist, and keeps one that does',
      rules: ['SEC-08', 'SEC-06'],
      uses: 'each',
      run: newToken,
    },
    {
      name: 'no log line contains a token, a cookie or a login code',
      rules: ['PRO-01'],
      uses: 'each',
      run: quietLog,
    },
  ],
};

const TOKEN = 'correct-horse-battery-staple';
const WEEK_S = 7 * 24 * 60 * 60;

async function eitherServer(context: ScenarioContext): Promise<void> {
  const flags = ['--token-file', tokenFile(context, 0o600)];
  const first = await context.start({ flags });
  const { port } = first;
  const before = Math.floor(Date.now() / 1000);
  const { headers } = await get(context, port, `/?token=${TOKEN}`, []);
  const after = Math.floor(Date.now() / 1000);
  const [cookie, ...attributes] = headerValues(headers, 'set-cookie')[0]!.split('; ');
  assert.deepEqual(attributes, ['HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${WEEK_S}`]);
  const expiry = Number(/^ingest_session_(\d+)=(\d+)\.[0-9a-f]{64}$/.exec(cookie!)![2]);
  assert.ok(expiry >= before + WEEK_S && expiry <= after + WEEK_S, `${cookie} at ${before} to ${after}`);
  assert.equal((await get(context, port, '/api/events', [['cookie', cookie!]])).status, 200);
  await first.stop();
  await context.start({ target: context.other, flags: [...flags, '--port', String(port)] });
  assert.equal((await get(context, port, '/api/events', [['cookie', cookie!]])).status, 200);
  const elsewhere = await context.start({ target: context.other, db: context.db('other.db'), flags });
  assert.equal((await get(context, elsewhere.port, '/api/events', [['cookie', cookie!]])).status, 401);
}

async function openTokenFile(context: ScenarioContext): Promise<void> {
  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o660, 0o777]) {
    const file = tokenFile(context, mode);
    const exit = await failedStart(context.target, ['--token-file', file], context.folder, {});
    assert.deepEqual([exit.code, exit.stdout], [2, ''], mode.toString(8));
    const problem = `--token-file ${JSON.stringify(file)} is open to other users; run \`chmod 600\` on it`;
    assert.equal(plainLines(exit.stderr).length, 1, exit.stderr);
    assert.ok(exit.stderr.includes(problem), exit.stderr);
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    const server = await context.start({ flags: ['--token-file', tokenFile(context, mode)] });
    assert.deepEqual(await server.stop(), { code: 0, signal: null }, mode.toString(8));
  }
}

async function loginCode(context: ScenarioContext): Promise<void> {
  const ready = context.db('ready.json');
  const socket = context.db('s');
  const flags = ['--token-file', tokenFile(context, 0o600), '--ready-file', ready, '--socket', socket];
  const server = await context.start({ flags });
  const { port, url } = server;
  const members = 'event url addresses pid runtime version contract login_url socket'.split(' ');
  assert.deepEqual(Object.keys(server.ready), members);
  assert.equal(readFileSync(ready, 'utf8'), server.stdout());
  assert.equal(statSync(ready).mode & 0o777, 0o600);
  const code = codeOf(server);
  assert.equal(server.ready.login_url, `${url}/?code=${code}`);
  const at = async (path: string, headers: readonly Header[] = [], method = 'GET') =>
    (await get(context, port, path, headers, method)).status;
  // Refused before the code is read, so that none of these takes it.
  assert.equal(await at(`/?code=${code}`, [['origin', 'http://evil.example']]), 403);
  assert.equal(await at(`/?code=${code}`, [['sec-fetch-site', 'cross-site']]), 403);
  assert.equal(await at(`/index.html?code=${code}`), 401, 'the code belongs to the root alone');
  assert.equal(await at(`/?code=${code}`, [], 'POST'), 401);
  assert.equal(await at('/?code='), 401);
  assert.equal(await at(`/?code=${code.slice(1)}`), 401);
  assert.equal(await at(`/?token=x&code=${code}`), 401, 'the token counts');
  assert.equal(await at(`/?code=${code}&token=${TOKEN}`), 303, 'the token counts');
  assert.equal(await at('/api/events', [['authorization', `Bearer ${code}`]]), 401, 'a code is no token');
  const { status, headers, body } = await get(context, port, `/?code=${code}`, []);
  assert.deepEqual([status, body.length], [303, 0]);
  assert.deepEqual(headerValues(headers, 'location'), ['/']);
  assert.deepEqual(headerValues(headers, 'cache-control'), ['no-store']);
  const [cookie] = headerValues(headers, 'set-cookie')[0]!.split('; ');
  assert.equal(await at('/api/events', [['cookie', cookie!]]), 200);
  assert.equal(await at(`/?code=${code}`), 401, 'valid once');
  assert.equal(await at(`/?code=${code}`, [['cookie', cookie!]]), 401);
  await server.stop();

  const second = await context.start({ flags });
  assert.notEqual(codeOf(second), code);
  const head = await get(context, second.port, `/?code=${codeOf(second)}`, [], 'HEAD');
  assert.equal(head.status, 303);
  assert.equal((await get(context, second.port, `/?code=${codeOf(second)}`, [])).status, 401);
  await second.stop();
  const open = await context.start();
  assert.equal(open.ready.login_url, undefined);
}

/** Returns the code of a server's login URL. */
function codeOf({ ready }: RunningServer): string {
  return /\?code=([A-Za-z0-9_-]{43})$/.exec(ready.login_url ?? '')![1]!;
}

async function newToken(context: ScenarioContext): Promise<void> {
  const file = context.db('new-token');
  const flags = ['--token-file', file, '--new-token'];
  const first = await context.start({ flags });
  const text = readFileSync(file, 'utf8');
  assert.match(text, /^[A-Za-z0-9_-]{43}\n$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const bearer = (of: string): Header => ['authorization', `Bearer ${of.trim()}`];
  assert.equal((await get(context, first.port, '/api/events', [bearer(text)])).status, 200);
  assert.equal((await get(context, first.port, '/api/events', [])).status, 401);
  await first.stop();
  const again = await context.start({ flags });
  assert.equal(readFileSync(file, 'utf8'), text);
  await again.stop();
  const own = tokenFile(context, 0o400);
  const kept = await context.start({ flags: ['--token-file', own, '--new-token'] });
  assert.equal(readFileSync(own, 'utf8'), `${TOKEN}\n`);
  await kept.stop();
  assert.deepEqual(
    readdirSync(context.folder).filter((name) => name.includes('partial')),
    [],
  );
  const missing = context.db('no/token');
  const refused = await failedStart(context.target, ['--token-file', missing, '--new-token'], context.folder);
  assert.deepEqual([refused.code, refused.stdout], [73, '']);
  assert.deepEqual(plainLines(refused.stderr), [`${missing} cannot be written: storage_error`]);
  // It exists for a creation and not for a reader, and no server may start without the token.
  const dangling = context.db('dangling');
  symlinkSync('nothing', dangling);
  const open = await failedStart(context.target, ['--token-file', dangling, '--new-token'], context.folder);
  assert.deepEqual([open.code, open.stdout], [73, '']);
  assert.deepEqual(plainLines(open.stderr), [`${dangling} cannot be written: storage_error`]);
  const wrong = ['--token-file', context.db('unborn'), '--new-token', '--port', 'x'];
  assert.equal((await failedStart(context.target, wrong, context.folder)).code, 2);
  assert.equal(existsSync(context.db('unborn')), false, 'a wrong flag creates no file');
  const two = ['x.db', 'y.db'].map((db) =>
    context.start({ db: context.db(db), flags: ['--token-file', context.db('shared'), '--new-token'] }),
  );
  const both = await Promise.all(two);
  const shared = bearer(readFileSync(context.db('shared'), 'utf8'));
  for (const server of both)
    assert.equal((await get(context, server.port, '/api/events', [shared])).status, 200);
}

async function quietLog(context: ScenarioContext): Promise<void> {
  const file = context.db('new-token');
  const flags = ['--token-file', file, '--new-token', '--log-level', 'trace'];
  const server = await context.start({ flags });
  const { port } = server;
  const [token, code] = [readFileSync(file, 'utf8').trim(), codeOf(server)];
  const { headers } = await get(context, port, `/?code=${code}`, []);
  const [cookie] = headerValues(headers, 'set-cookie')[0]!.split('; ');
  const secrets = [token, code, cookie!.split('.')[1]!];
  for (const path of [`/?code=${code}`, `/?token=${token}`, `/?token=${token}x`, `/api/events?x=${token}`])
    for (const header of [['authorization', `Bearer ${token}`] as const, ['cookie', cookie!] as const])
      await get(context, port, path, [header]);
  // Refused heads and a broken request, which servers may report with their text.
  for (const head of [
    `GET /?token=${token}\r\n\r\n`,
    `GET /?token=${token} HTTP/1.1\r\ncookie : ${cookie}\r\n\r\n`,
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.end(head);
    await once(
      socket.resume().on('error', () => {}),
      'close',
    );
  }
  await server.stop();
  assert.ok(server.stderr().includes('listening'), 'the log has lines');
  for (const secret of secrets) assert.equal(server.stderr().includes(secret), false, 'a secret in the log');
  assert.equal(server.stdout().includes(token), false, 'the ready line has no token');
}

function tokenFile(context: ScenarioContext, mode: number): string {
  const file = join(context.folder, `token-${mode.toString(8)}`);
  writeFileSync(file, `${TOKEN}\n`);
  chmodSync(file, mode);
  return file;
}

async function get(
  context: ScenarioContext,
  port: number,
  path: string,
  headers: readonly Header[],
  method = 'GET',
) {
  const connection = await Connection.open(port);
  context.atEnd(() => connection.close());
  const all: Header[] = [['host', `127.0.0.1:${port}`], ...headers];
  const answer = await connection.exchange(compose(method, path, all, Buffer.alloc(0)));
  if (answer.kind !== 'response') throw new Error(`${path}: ${answer.kind}`);
  return answer.response;
}
