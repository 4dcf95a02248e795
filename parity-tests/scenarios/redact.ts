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
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { processorMs } from '../src/process-figures.ts';
import { LOOKALIKES, SECRETS, WRONG_FILES } from '../src/redaction-files.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { lookAlikes, secrets } from '../src/secret-corpus.ts';
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
      name: 'the shipped file replaces at least 95 % of a corpus of secrets, and at most 0.5 % of look-alikes',
      rules: ['RED-01', 'RED-03', 'RED-04', 'RED-07'],
      attacks: ['X11'],
      uses: 'each',
      run: corpus,
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

const MADE_UP_SECRETS = 200;
const MADE_UP_LOOK_ALIKES = 2_000;
const LEAST_FOUND = 0.95;
const MOST_WRONG = 0.005;
/** Batches of look-alikes for the processor time of an event. */
const MEASURED_BATCHES = 10;

async function corpus(context: ScenarioContext): Promise<void> {
  const { seed } = context.options;
  const found = secrets(seededRandom(seed), MADE_UP_SECRETS);
  const harmless = lookAlikes(seededRandom(seed), MADE_UP_LOOK_ALIKES);
  const client = context.client(await context.start({ flags: ['--redact', 'builtin:secrets'] }));
  const storedOf = async (all: readonly { readonly metadata: unknown }[]): Promise<string[]> => {
    const stored = [];
    for (let at = 0; at < all.length; at += 500) {
      const { ids } = await client.ingest(all.slice(at, at + 500).map(({ metadata }) => event({ metadata })));
      const page = await client.get(`/api/events?order=asc&after=${ids[0]! - 1}&limit=500`);
      stored.push(
        ...page.json<{ events: { metadata: unknown }[] }>().events.map((row) => JSON.stringify(row.metadata)),
      );
    }
    return stored;
  };
  const rows = await storedOf(found);
  const missed = found.filter(({ secret }, index) =>
    rows[index]!.includes(JSON.stringify(secret).slice(1, -1)),
  );
  const kept = await storedOf(harmless);
  const wrong = harmless.filter(({ metadata }, index) => kept[index] !== JSON.stringify(metadata));
  assert.equal(rows.length + kept.length, MADE_UP_SECRETS + MADE_UP_LOOK_ALIKES);
  const forms = (all: readonly { readonly form: string }[]) =>
    [...new Set(all.map(({ form }) => form))].join(', ');
  context.note(`missed ${missed.length} of ${rows.length}: ${forms(missed)}`);
  context.note(`wrong ${wrong.length} of ${kept.length}: ${forms(wrong)}`);
  assert.ok(missed.length <= (1 - LEAST_FOUND) * rows.length, `${missed.length} missed: ${forms(missed)}`);
  assert.ok(wrong.length <= MOST_WRONG * kept.length, `${wrong.length} wrong: ${forms(wrong)}`);
  const costs = [];
  for (const flags of [[], ['--redact', 'builtin:secrets']])
    costs.push(await processorUs(context, flags, harmless));
  const [without, withFile] = costs;
  context.note(`an event costs ${without!.toFixed(1)} us, and ${withFile!.toFixed(1)} us with the file`);
}

/** Returns the processor time of one event of about 1 KB, in microseconds, of a server with these flags. */
async function processorUs(
  context: ScenarioContext,
  flags: readonly string[],
  events: readonly { readonly metadata: unknown }[],
): Promise<number> {
  const server = await context.start({ db: context.db(`cost-${flags.length}.db`), flags });
  const client = context.client(server);
  const batch = events.map(({ metadata }) => event({ metadata }));
  await client.ingest(batch);
  const before = processorMs(server.pid);
  for (let time = 0; time < MEASURED_BATCHES; time++) await client.ingest(batch);
  const spent = processorMs(server.pid) - before;
  await server.stop();
  return (spent * 1000) / (MEASURED_BATCHES * batch.length);
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
