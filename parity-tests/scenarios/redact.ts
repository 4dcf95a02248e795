/**
 * Tests `--redact` (rules RED-01 to RED-07): files that stop the start, the shipped file, standard input, and
 * identities across servers and files.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { LOOKALIKES, SECRETS, WRONG_FILES } from '../src/redaction-files.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { finishInput, lineOf, startWithInput } from '../src/server-input.ts';

export const REDACT: ScenarioFile = {
  name: 'redact',
  about: 'files of keys and patterns',
  scenarios: [
    {
      name: 'a file with problems stops the start, and both servers report all of them',
      rules: ['RED-02', 'PRO-03', 'LAW'],
      uses: 'both',
      run: problems,
    },
    {
      name: 'the shipped file replaces common secrets, by its path and by its name inside of the program',
      rules: ['RED-01', 'RED-03', 'RED-04'],
      uses: 'each',
      run: shipped,
    },
    {
      name: 'the shipped file changes nothing that real agents sent',
      rules: ['RED-03', 'RED-04', 'RED-07'],
      uses: 'each',
      run: realAgents,
    },
    {
      name: 'events of standard input are redacted',
      rules: ['RED-01', 'PRO-12'],
      uses: 'each',
      run: input,
    },
    {
      name: 'identities are the same on both servers, and other with another file',
      rules: ['RED-05', 'PRO-08'],
      uses: 'both',
      run: turns,
    },
  ],
};

const SHIPPED = fileURLToPath(new URL('../../contract/redact/secrets.json', import.meta.url));
const CAPTURED = new URL('../captured/', import.meta.url);

async function problems(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'redact.json');
  const starts = (flags: readonly string[]) =>
    Promise.all(TARGET_NAMES.map((target) => failedStart(target, flags, context.folder)));
  for (const [text, ...expected] of WRONG_FILES) {
    writeFileSync(file, text);
    for (const exit of await starts(['--redact', file])) {
      assert.equal(exit.code, 2, String(text));
      assert.equal(exit.stdout, '');
      const lines = expected.map((problem) => `--redact ${JSON.stringify(file)}${problem}`);
      assert.deepEqual(plainLines(exit.stderr), lines, String(text));
    }
  }
  for (const exit of await starts(['--port', 'x', `--redact=${file}.no`])) {
    assert.equal(exit.code, 2);
    assert.equal(plainLines(exit.stderr).length, 2, exit.stderr);
    assert.ok(exit.stderr.includes(`--redact "${file}.no" does not exist`), exit.stderr);
  }
}

async function shipped(context: ScenarioContext): Promise<void> {
  await replaces(context, 'a.db', SHIPPED);
  await replaces(context, 'b.db', 'builtin:secrets');
}

async function replaces(context: ScenarioContext, db: string, file: string): Promise<void> {
  const client = context.client(await context.start({ db: context.db(db), flags: ['--redact', file] }));
  const names = [
    'Authorization',
    'COOKIE',
    'password',
    'api_key',
    'x-api-key',
    'client_secret',
    'private_key',
  ];
  const others = {
    token_count: 1,
    max_tokens: 2,
    tokens_in: 3,
    secrets: [],
    password_reset: true,
    author: 'x',
  };
  const sent = { all: SECRETS, ...others, others: LOOKALIKES };
  const keyed = Object.fromEntries(names.map((name) => [name, { a: 1 }]));
  await client.ingest([event({ metadata: { ...sent, ...keyed } })]);
  const row = (await client.get('/api/events/1')).json<{ metadata: unknown }>();
  const replaced = Object.fromEntries(names.map((name) => [name, '[redacted]']));
  assert.deepEqual(row.metadata, { ...sent, all: SECRETS.map(() => '[redacted]'), ...replaced });
}

async function realAgents(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start({ flags: ['--redact', SHIPPED] }));
  let count = 0;
  for (const name of readdirSync(CAPTURED).filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(new URL(name, CAPTURED), 'utf8');
    const { requests } = JSON.parse(text) as { requests: { path: string; body: unknown }[] };
    for (const { path, body } of requests) {
      const reply = await client.post(path, body);
      assert.ok(reply.status < 300, `POST ${path}: ${reply.status} ${reply.text}`);
      count += 1;
    }
  }
  const health = (await client.get('/api/health')).json<{ redaction: { events: number } }>();
  assert.equal(health.redaction.events, 0, `of ${count} requests`);
}

const RULES = '{"keys":["password"],"patterns":[{"prefix":"sk-","class":"base64url","minimum":8}]}';
const SECRET = 'sk-0123456789';

async function input(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'redact.json');
  writeFileSync(file, RULES);
  const flags = ['--redact', file];
  const metadata = { password: 1, a: [SECRET] };
  const server = await startWithInput(context, 'ndjson', { flags });
  server.input(`${lineOf({ model: SECRET, metadata })}\n`);
  await finishInput(server);
  for (const format of ['msgpack', 'protobuf'] as const) {
    const framed = await startWithInput(context, format, { flags });
    const body = batchBody(format, [{ ...event({ model: SECRET }), metadata: JSON.stringify(metadata) }]);
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    framed.input(Buffer.concat([header, body]));
    await finishInput(framed);
  }
  const client = context.client(await context.start());
  for (const id of [1, 2, 3]) {
    const row = (await client.get(`/api/events/${id}`)).json<Record<string, unknown>>();
    assert.equal(row.model, '[redacted]');
    assert.deepEqual(row.metadata, { password: '[redacted]', a: ['[redacted]'] });
  }
}

async function turns(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'redact.json');
  const sent = event({ session_id: SECRET, event_id: SECRET });
  const other = RULES.replace('"sk-"', '"sk-0"');
  const steps: readonly (readonly [target: TargetName, rules: string | undefined, received: number])[] = [
    ['rs', RULES, 1],
    ['ts', RULES, 0],
    ['rs', other, 0],
    ['ts', undefined, 1],
    ['rs', undefined, 0],
  ];
  for (const [target, rules, received] of steps) {
    if (rules !== undefined) writeFileSync(file, rules);
    const flags = rules === undefined ? [] : ['--redact', file];
    const server = await context.start({ target, flags });
    const client = context.client(server);
    // The server reads the file only at its start, so later changes have no effect.
    writeFileSync(file, '{');
    assert.equal((await client.ingest([sent])).received, received, `${target} ${rules}`);
    await server.stop();
  }
  const client = context.client(await context.start());
  const { sessions } = (await client.get('/api/sessions')).json<{ sessions: { id: string }[] }>();
  // The digest is that of `printf sk-0123456789 | sha256sum`.
  assert.deepEqual(
    sessions.map(({ id }) => id),
    [SECRET, '[redacted] 5c85b6dd8ccb9a87259d5b71753c6c4a'],
  );
}
