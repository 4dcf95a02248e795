/** Tests retention and deletions: what goes, what stays, and what a crash in the middle leaves. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import Database from 'better-sqlite3';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { attach, filesOf } from '../src/attachment-client.ts';
import { checkSummaries } from '../src/check-summaries.ts';
import { moveHours } from '../src/move-hours.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const RETENTION: ScenarioFile = {
  name: 'retention',
  about: 'deletions by bounds and by request',
  scenarios: [
    {
      name: 'a bound in bytes keeps the newest events and shrinks the file',
      rules: ['RET-01', 'RET-02', 'RET-05', 'RET-07', 'EVT-13'],
      uses: 'each',
      run: keepBytes,
    },
    {
      name: 'a bound in days deletes older events alone',
      rules: ['RET-01', 'RET-06'],
      uses: 'each',
      run: keepDays,
    },
    {
      name: 'streams continue across a deletion',
      rules: ['RET-05', 'STR-03', 'SYN-02'],
      uses: 'each',
      run: continueStreams,
    },
    {
      name: 'a deleted text is not in the file',
      rules: ['RET-07'],
      uses: 'each',
      run: overwrite,
    },
    {
      name: 'a row of a new session never has the id of a deleted one, in any format',
      rules: ['RET-04', 'FMT-08', 'FMT-09'],
      uses: 'each',
      run: renewSessions,
    },
    {
      name: 'ids and revisions after deletions are equal in both servers',
      rules: ['RET-04', 'RET-05'],
      attacks: ['X4'],
      uses: 'both',
      run: equalSteps,
    },
    {
      name: 'after deletions of clients all sums equal those of the rows, and no name is left over',
      rules: ['RET-06', 'STA-01', 'BAK-06'],
      attacks: ['X4'],
      uses: 'both',
      run: exactSums,
    },
    {
      name: 'each content of attachments counts once, in blocks',
      rules: ['RET-01', 'RET-02', 'ATT-04'],
      attacks: ['X3'],
      uses: 'each',
      run: usedByAttachments,
    },
    {
      name: 'a kill during a deletion leaves a state that the other server continues',
      rules: ['RET-04', 'RET-05', 'STO-03'],
      uses: 'both',
      faults: ['F1'],
      run: kill,
    },
  ],
};

const BATCH = 1_000;
/** Of metadata: a thousand events take a megabyte. */
const METADATA_BYTES = 1_000;
const FREE_BYTES = 4 << 20;

interface Bounds {
  readonly used_bytes: number;
  readonly first_event_id: number | null;
}

async function boundsOf(client: ApiClient): Promise<Bounds> {
  return (await client.get('/api/retention')).json<Bounds>();
}

/** Stores `count` events with ids of their own and about a kilobyte each; returns the first one's `event_id`. */
async function fill(client: ApiClient, count: number, prefix: string): Promise<string> {
  const text = 'x'.repeat(METADATA_BYTES);
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    const events = Array.from({ length: size }, (_, at) =>
      event({
        session_id: `${prefix}${Math.floor((done + at) / 100)}`,
        event_id: `${prefix}${done + at}`,
        metadata: { text },
      }),
    );
    assert.equal((await client.ingest(events)).received, size);
  }
  return `${prefix}0`;
}

async function keepBytes(context: ScenarioContext): Promise<void> {
  const limit = 8_000_000;
  const server = await context.start({ flags: ['--retain-bytes', String(limit)] });
  const client = context.client(server);
  const count = 24_000;
  const first = await fill(client, count, 'e');
  await until(async () => (await boundsOf(client)).used_bytes <= limit, 'used bytes below the bound');
  // Free pages go back once no event has come for a second, and the file shrinks with a checkpoint.
  await until(() => statSync(context.db()).size <= limit + FREE_BYTES, 'a smaller file');
  const { first_event_id: oldest, used_bytes: used } = await boundsOf(client);
  assert.ok(oldest !== null && oldest > 1, `the oldest event is ${oldest}`);
  assert.ok(used > limit / 2, `only ${used} bytes are left`);
  const page = await client.get(`/api/events?order=asc&limit=1`);
  assert.equal(page.json<{ events: { id: number }[] }>().events[0]!.id, oldest);
  const stats = (await client.get('/api/stats')).json<{ total_events: number }>();
  assert.equal(stats.total_events, count);
  const again = await client.ingest([event({ event_id: first })]);
  assert.deepEqual([again.received, again.duplicates], [0, 1]);
  await server.stop();
  assert.deepEqual(checkSummaries(context.db()).problems, []);
  const db = new Database(context.db(), { readonly: true });
  const rows = Number(db.prepare('SELECT count(*) FROM events').pluck().get());
  const sessions = db
    .prepare(
      'SELECT count(*) FROM sessions AS s WHERE NOT EXISTS (SELECT 1 FROM events WHERE session = s.key)',
    )
    .pluck()
    .get();
  db.close();
  assert.ok(rows >= 1_000, 'the newest thousand events stay');
  assert.equal(sessions, 0, 'a session without events');
}

async function keepDays(context: ScenarioContext): Promise<void> {
  const before = await context.start();
  await fill(context.client(before), 3_000, 'old');
  await before.stop();
  const db = new Database(context.db());
  db.prepare('UPDATE events SET created_at = created_at - 3 * 86400000 WHERE id <= 1500').run();
  db.close();
  const server = await context.start({ flags: ['--retain-days', '2'] });
  const client = context.client(server);
  await until(async () => (await boundsOf(client)).first_event_id === 1_501, 'the younger events alone');
  const { sessions } = (await client.get('/api/sessions?limit=1000')).json<{ sessions: unknown[] }>();
  assert.equal(sessions.length, 15);
}

async function continueStreams(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const live = await context.stream(server);
  const changes = await context.stream(server, '?mode=invalidate&topics=events,session:gone');
  const sent = await client.ingest([
    event({ session_id: 'gone' }),
    event({ session_id: 'stays' }),
    event({ session_id: 'gone' }),
  ]);
  await live.waitFor(() => live.ids.length === sent.ids.length, 'the events before the deletion');
  const reply = await client.send('DELETE', '/api/sessions/gone', undefined, []);
  const { deleted, revision } = reply.json<{ deleted: number; revision: string }>();
  assert.equal(deleted, 2);
  await changes.waitFor(() => changes.revisionOf('events') === revision, 'the revision of the deletion');
  await changes.waitFor(
    () => changes.revisionOf('session:gone') === revision,
    'the revision of the deleted session',
  );
  const [next] = (await client.ingest([event({ session_id: 'stays' })])).ids;
  await live.waitFor(() => live.ids.includes(next!), 'the event after the deletion');
  assert.deepEqual(live.ids, [...sent.ids, next]);
  const resumed = await context.stream(server, '', sent.ids[0]);
  await resumed.waitFor(() => resumed.ids.includes(next!), 'the events after the cursor');
  assert.deepEqual(resumed.ids, [sent.ids[1], next]);
  assert.equal(
    resumed.messages.some((message) => message.type === 'reset'),
    false,
  );
}

async function overwrite(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const secret = 'a-secret-that-must-not-stay';
  await client.ingest([
    event({ session_id: 'private', metadata: { prompt: secret } }),
    event({ session_id: 'public', metadata: { prompt: 'hello' } }),
  ]);
  assert.equal((await client.send('DELETE', '/api/sessions/private', undefined, [])).status, 200);
  await server.stop();
  const bytes = readFileSync(context.db());
  assert.equal(bytes.includes(secret), false);
  assert.equal(bytes.includes('hello'), true);
}

async function kill(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const count = 20_000;
  await fill(client, count, 'k');
  const deletion = client.send('DELETE', `/api/events?before=${count}`, undefined, []).catch(() => undefined);
  await until(async () => ((await boundsOf(client)).first_event_id ?? 0) > 1, 'the first step', 10_000).catch(
    () => undefined,
  );
  await server.kill();
  await deletion;
  const other = await context.start({ target: context.other });
  const next = context.client(other);
  const { first_event_id: oldest } = await boundsOf(next);
  assert.ok(oldest !== null && oldest > 1 && oldest <= count, `the oldest event is ${oldest}`);
  const [id] = (await next.ingest([event()])).ids;
  assert.ok(id! > count, `the id ${id} was given out before`);
  const reply = await next.send('DELETE', `/api/events?before=${count}`, undefined, []);
  assert.equal(reply.json<{ deleted: number }>().deleted, count - oldest);
  await other.stop();
  assert.deepEqual(checkSummaries(context.db()).problems, []);
  const db = new Database(context.db(), { readonly: true });
  assert.deepEqual(db.pragma('quick_check', { simple: true }), 'ok');
  assert.deepEqual(db.prepare('SELECT id FROM events ORDER BY id').pluck().all(), [count, id]);
  db.close();
}

/** A session key may be that of a deleted session. The rounds are more than the readers, which may remember texts. */
async function renewSessions(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  for (let round = 0; round < 10; round++) {
    await client.ingest([event({ session_id: `session-${round}` })]);
    for (const type of ['msgpack', 'protobuf', 'arrow', 'ndjson', 'json'] as const) {
      const headers = [['accept', mediaTypeOf(type)]] as const;
      const { body } = await client.send('GET', '/api/events', undefined, headers);
      const shown = [...body.toString('latin1').matchAll(/session-\d/g)].map(([id]) => id);
      assert.deepEqual(shown, [`session-${round}`], `${type}, round ${round}`);
    }
    const { status } = await client.send('DELETE', `/api/sessions/session-${round}`, undefined, []);
    assert.equal(status, 200);
  }
}

/** Sends a deletion; returns its answer, and the id of an event that is stored after it. */
async function deleted(client: ApiClient, path: string): Promise<readonly [string, number]> {
  const reply = await client.send('DELETE', path, undefined, [], 60_000);
  return [reply.text, (await client.ingest([event({ session_id: 'after' })])).ids[0]!];
}

async function equalSteps(context: ScenarioContext): Promise<void> {
  const found: unknown[] = [];
  for (const target of [context.target, context.other]) {
    const db = context.db(`${target}.db`);
    const server = await context.start({ target, db });
    const client = context.client(server);
    await fill(client, 7_500, 'e');
    for (let at = 0; at < 5; at++) {
      const many = Array.from({ length: 1_000 }, () => event({ session_id: 'long' }));
      await client.ingest(many);
    }
    const [id] = (await client.ingest([event({ session_id: 'heavy' })])).ids as [number];
    const pieces = Array.from({ length: 200 }, (_, at) =>
      attach(server.port, id, `a${at}`, Buffer.from(`${at}`)),
    );
    assert.deepEqual(new Set(await Promise.all(pieces)), new Set([201]));
    // Another load at the same time must not move the ends of the steps.
    const paths = [
      '/api/events?before=5001',
      '/api/sessions/e60',
      '/api/sessions/long',
      '/api/sessions/heavy',
    ];
    const answers = [];
    for (const path of [...paths, '/api/sessions/heavy', '/api/events?before=1000000']) {
      answers.push(await deleted(client, path));
    }
    found.push(answers);
    assert.deepEqual(filesOf(db), []);
    await server.stop();
    assert.deepEqual(checkSummaries(db).problems, []);
  }
  assert.deepEqual(found[1], found[0]);
}

async function usedByAttachments(context: ScenarioContext): Promise<void> {
  const limit = 20_000_000;
  const server = await context.start({ flags: ['--retain-bytes', String(limit)] });
  const client = context.client(server);
  const ids = (await client.ingest(Array.from({ length: 1_100 }, () => event()))).ids;
  const before = (await boundsOf(client)).used_bytes;
  const shared = Buffer.alloc(1_000_000, 'shared');
  for (const id of ids.slice(0, 40)) assert.equal(await attach(server.port, id, 'shared', shared), 201);
  const once = (await boundsOf(client)).used_bytes - before;
  const blocks = Math.ceil(shared.length / LIMITS.attachment_block_bytes) * LIMITS.attachment_block_bytes;
  assert.ok(once >= blocks && once < blocks + 200_000, `one content counts as ${once} bytes`);
  for (const id of ids.slice(0, 100)) {
    assert.equal(await attach(server.port, id, 'small', Buffer.from(`${id}`)), 201);
  }
  const small = (await boundsOf(client)).used_bytes - before - once;
  assert.ok(small >= 100 * LIMITS.attachment_block_bytes, `100 small contents count as ${small} bytes`);
  // Longer than the interval of retention: 40 times the content would exceed the bound.
  await client.ingest([event()]);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  assert.equal((await boundsOf(client)).first_event_id, ids[0], 'nothing exceeds the bound');
}

/** Returns an event whose fields come from small pools; some names belong to one session alone. */
function randomEvent(random: () => number, sessions: number): object {
  const pick = <T>(pool: readonly T[]): T => pool[Math.floor(random() * pool.length)]!;
  const session = Math.floor(random() * sessions);
  const maybe = <T>(value: T): T | undefined => (random() < 0.5 ? value : undefined);
  return {
    session_id: `s${session}`,
    agent_type: pick(['a', 'b', `agent-${session % 7}`]),
    event_type: pick(['tool_use', 'llm_response', 'plan_step', 'error', 'session_end']),
    status: maybe(pick(['error', 'success'])),
    tool_name: maybe(pick(['Bash', 'Read', `tool-${session}`])),
    branch: maybe(pick(['main', `branch-${session}`])),
    project: maybe(`project-${session % 11}`),
    model: maybe(pick(['m', `model-${session % 5}`])),
    source_event: maybe(`source-${session % 13}`),
    tokens_in: Math.floor(random() * 1000),
    tokens_out: Math.floor(random() * 1000),
    cache_read_tokens: maybe(Math.floor(random() * 100)),
    cache_write_tokens: maybe(Math.floor(random() * 100)),
    duration_ms: maybe(Math.floor(random() * 5000)),
    cost_usd: maybe(random()),
  };
}

async function exactSums(context: ScenarioContext): Promise<void> {
  const stats: string[] = [];
  for (const target of [context.target, context.other]) {
    const seeded = seededRandom(57);
    const random = (): number => seeded.below(1_000_000) / 1_000_000;
    const db = context.db(`${target}.db`);
    let server = await context.start({ target, db });
    let client = context.client(server);
    let newest = 0;
    for (let round = 0; round < 6; round++) {
      for (let batch = 0; batch < 4; batch++) {
        const { ids } = await client.ingest(Array.from({ length: 500 }, () => randomEvent(random, 60)));
        assert.equal(ids.length, 500);
        newest = ids.at(-1)!;
      }
      if (round === 1 || round === 3) {
        // First an hour ends. Then the clock seems to be set back.
        await server.stop();
        moveHours(db, round === 1 ? -3 : 5);
        server = await context.start({ target, db });
        client = context.client(server);
      }
      const before = newest - 1_500 + Math.floor(random() * 500);
      const paths = [
        `/api/sessions/s${round}`,
        `/api/events?before=${before}`,
        `/api/sessions/s${round + 20}`,
      ];
      for (const path of paths) {
        const reply = await client.send('DELETE', path, undefined, [], 60_000);
        assert.ok([200, 404].includes(reply.status), reply.text);
      }
      requireExact(db);
    }
    stats.push((await client.get('/api/stats')).text);
    assert.equal(
      (await client.send('DELETE', `/api/events?before=${newest * 2}`, undefined, [])).status,
      200,
    );
    requireExact(db);
    await server.stop();
    const file = new Database(db, { readonly: true });
    const left = file.prepare('SELECT kind, name FROM names').all();
    file.close();
    assert.deepEqual(left, [], 'names of nothing');
    const secrets = readFileSync(db).includes('branch-');
    assert.equal(secrets, false, 'a deleted name is not in the file');
  }
  assert.equal(stats[1], stats[0]);
}

const COUNTED = [
  ...['event_type', 'status', 'source', 'tool_name', 'branch', 'project', 'model', 'source_event'],
] as const;

/** Compares the stored sums with those of the rows, as SQL computes them. */
function requireExact(path: string): void {
  const db = new Database(path, { readonly: true });
  const differences = (stored: string, counted: string): unknown[] => {
    const lacks = (one: string, other: string): string =>
      `SELECT * FROM (SELECT * FROM (${one}) EXCEPT SELECT * FROM (${other}))`;
    return db.prepare(`${lacks(stored, counted)} UNION ALL ${lacks(counted, stored)}`).all();
  };
  const step = "(SELECT id FROM names WHERE kind = 'event_type' AND name = 'plan_step')";
  const error = "(SELECT id FROM names WHERE kind = 'status' AND name = 'error')";
  const sums = (name: string, isTool: boolean): string => {
    const counts = (column: string): string =>
      isTool ? `ifnull(sum(iif(event_type IS ${step}, 0, ${column})), 0)` : `ifnull(sum(${column}), 0)`;
    return `SELECT ${name}, agent_type, count(*), ${isTool ? counts('1') : 0}, ${counts(`status IS ${error}`)},
      ${counts('duration_ms IS NOT NULL')}, ${counts('ifnull(duration_ms, 0)')}, ${counts('tokens_in')},
      ${counts('tokens_out')}, ${counts('ifnull(cost_nanos, 0)')}
      FROM events WHERE ${name} IS NOT NULL GROUP BY ${name}, agent_type`;
  };
  const everything = [sums('0 + 0', false), ...COUNTED.map((column) => sums(column, column === 'tool_name'))];
  const stored = `SELECT name, agent_type, sum(event_count), sum(call_count), sum(error_count), sum(duration_count),
    sum(duration_ms), sum(tokens_in), sum(tokens_out), sum(cost_nanos) FROM stats
    WHERE quarter IN (1000000000000000, (SELECT value FROM meta WHERE key = 'open_quarter')) GROUP BY name, agent_type`;
  assert.deepEqual(differences(stored, everything.join(' UNION ALL ')), [], 'statistics');
  const quarters =
    'SELECT quarter, sum(event_count) FROM stats WHERE name = 0 AND quarter < 1000000000000000 GROUP BY quarter';
  const rows = 'SELECT (created_at + time_shift) / 900000 * 900, count(*) FROM events GROUP BY 1';
  assert.deepEqual(differences(quarters, rows), [], 'quarters');
  const ofSessions = `SELECT key, event_count, error_count, tokens_in, tokens_out, cache_read_tokens,
    cache_write_tokens, cost_nanos FROM sessions`;
  const ofEvents = `SELECT session, count(*), sum(status IS ${error}), sum(tokens_in), sum(tokens_out),
    sum(cache_read_tokens), sum(cache_write_tokens), sum(ifnull(cost_nanos, 0)) FROM events GROUP BY session`;
  assert.deepEqual(differences(ofSessions, ofEvents), [], 'sessions');
  const ofRows = ['agent_type', ...COUNTED].map((column) => `SELECT ${column} AS id FROM events`);
  const ofLists = ['agent_type', 'project', 'branch', 'model'].map(
    (column) => `SELECT ${column} FROM sessions`,
  );
  const known = [...ofRows, ...ofLists].join(' UNION ');
  const names = db
    .prepare(`SELECT kind, name FROM names WHERE id NOT IN (SELECT id FROM (${known}) WHERE id IS NOT NULL)`)
    .all();
  db.close();
  assert.deepEqual(names, [], 'names that nothing has');
}
