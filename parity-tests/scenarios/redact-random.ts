/**
 * Sends random JSON and random bytes with secrets to both servers (rules RED-01 to RED-06). Both must store the same
 * bytes, and no file of a server may hold a secret.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { RULES, SECRET, secretBytes, secretJson, secretText } from '../src/secret-text.ts';

export const REDACT_RANDOM: ScenarioFile = {
  name: 'redact-random',
  about: 'seeded random secrets to both servers',
  scenarios: [
    {
      name: 'both servers store the same bytes, and no secret',
      rules: ['RED-01', 'RED-03', 'RED-04', 'RED-05', 'RED-06', 'LAW'],
      uses: 'both',
      run: randomSecrets,
    },
  ],
};

const BATCHES = 60;
const EVENTS = 20;
const HOOKS = 100;
const UPLOADS = 40;

interface Twin {
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly db: string;
}

async function randomSecrets(context: ScenarioContext): Promise<void> {
  const { seed } = context.options;
  const random = seededRandom(seed);
  const file = join(context.folder, 'redact.json');
  writeFileSync(file, JSON.stringify(RULES));
  const flags = ['--redact', file, '--max-metadata-bytes', '512'];
  const twins: Twin[] = [];
  for (const target of TARGET_NAMES) {
    const db = context.db(`${target}.db`);
    const server = await context.start({ target, db, flags });
    twins.push({ server, client: context.client(server), db });
  }
  for (let batch = 0; batch < BATCHES; batch++) await sendBatch(random, twins);
  for (let hook = 0; hook < HOOKS; hook++) {
    const payload = `{"session_id":"s","hook_event_name":"Stop","x":${secretJson(random, 6)},"y":${secretJson(random)}}`;
    await both(twins, 'POST', '/api/hooks/claude-code', Buffer.from(payload));
  }
  for (let upload = 0; upload < UPLOADS; upload++) {
    const path = `/api/events/${1 + random.below(100)}/attachments/${upload}`;
    await both(twins, 'PUT', path, secretBytes(random, random.pick([30, 1000, 200_000, 600_000])));
  }
  await compareRows(twins);
  for (const { server, db } of twins) {
    assertNoSecret(context.folder, db);
    await server.stop();
    assertNoSecret(context.folder, db);
  }
  context.note(`seed ${seed}, ${BATCHES * EVENTS} events, ${HOOKS} hooks, ${UPLOADS} attachments`);
}

async function sendBatch(random: Random, twins: readonly Twin[]): Promise<void> {
  const format = random.pick(['json', 'ndjson', 'msgpack', 'protobuf'] as const);
  const events = Array.from({ length: EVENTS }, () => ({
    session_id: `s ${secretText(random)}`,
    agent_type: `a ${secretText(random)}`,
    event_type: 'tool_use',
    event_id: random.chance(0.3) ? `id ${secretText(random)}` : undefined,
    model: random.chance(0.5) ? secretText(random) : undefined,
    call_id: random.chance(0.5) ? secretText(random) : undefined,
    metadata: secretJson(random),
  }));
  const types = { json: 'json', ndjson: 'x-ndjson', msgpack: 'msgpack', protobuf: 'protobuf' };
  const body = batchBody(format, events);
  await both(twins, 'POST', '/api/events/batch?results=1', body, `application/${types[format]}`);
}

/** Sends a request to both servers, which must answer alike. */
async function both(
  twins: readonly Twin[],
  method: string,
  path: string,
  body: Buffer,
  type = 'application/json',
): Promise<void> {
  const [rs, ts] = await Promise.all(
    twins.map(({ client }) => client.send(method, path, body, [['content-type', type]])),
  );
  assert.equal(ts!.text, rs!.text, `${method} ${path}: ${JSON.stringify(body.toString('latin1'))}`);
  assert.ok(rs!.status < 300 && !rs!.text.includes('"rejected":[{'), `${path}: ${rs!.text}`);
}

/** Compares all rows byte for byte; none may hold a secret, even in escapes. */
async function compareRows(twins: readonly Twin[]): Promise<void> {
  for (let after = 0; ; ) {
    const path = `/api/events?after=${after}&limit=200`;
    const [rs, ts] = await Promise.all(twins.map(async ({ client }) => (await client.get(path)).text));
    const untimed = (text: string): string => text.replace(/"(?:created_at|time)":"[^"]+"/g, '');
    assert.equal(untimed(ts!), untimed(rs!));
    const page = JSON.parse(rs!) as { events: Stored[]; next: number | null };
    assert.ok(!JSON.stringify(page).includes(SECRET), `after ${after}: ${JSON.stringify(page)}`);
    for (const { id, payload_truncated: isTruncated } of page.events)
      if (isTruncated) await compareWhole(twins, id, untimed);
    if (page.next === null) return;
    after = page.next;
  }
}

/** A row of a page. */
interface Stored {
  readonly id: number;
  readonly payload_truncated: boolean;
}

/** Compares the whole text of a summary, which may hold no secret either. */
async function compareWhole(
  twins: readonly Twin[],
  id: number,
  untimed: (text: string) => string,
): Promise<void> {
  const [rs, ts] = await Promise.all(
    twins.map(async ({ client }) => (await client.get(`/api/events/${id}`)).text),
  );
  assert.equal(untimed(ts!), untimed(rs!));
  const { metadata } = JSON.parse(rs!) as { metadata: object };
  assert.ok(!Object.keys(metadata).includes('_truncated') && !JSON.stringify(metadata).includes(SECRET), rs!);
}

/** Searches all files of a database, with its log and its attachments. */
function assertNoSecret(folder: string, db: string): void {
  const name = db.slice(folder.length + 1);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.startsWith(name))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
  assert.ok(paths.length > 2, 'the files of a server');
  for (const path of paths) assert.ok(!readFileSync(path).includes(SECRET), `${path} holds a secret`);
}
