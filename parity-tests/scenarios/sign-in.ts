/**
 * Tests the sign-in of a page: the lifetime of its cookie, the server that accepts it, and the mode of the token file.
 */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import { type Header, headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
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

function tokenFile(context: ScenarioContext, mode: number): string {
  const file = join(context.folder, `token-${mode.toString(8)}`);
  writeFileSync(file, `${TOKEN}\n`);
  chmodSync(file, mode);
  return file;
}

async function get(context: ScenarioContext, port: number, path: string, headers: readonly Header[]) {
  const connection = await Connection.open(port);
  context.atEnd(() => connection.close());
  const all: Header[] = [['host', `127.0.0.1:${port}`], ...headers];
  const answer = await connection.exchange(compose('GET', path, all, Buffer.alloc(0)));
  if (answer.kind !== 'response') throw new Error(`${path}: ${answer.kind}`);
  return answer.response;
}
