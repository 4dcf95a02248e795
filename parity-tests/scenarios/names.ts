/** Tests many distinct names: lists have a bounded length, and so has the table of names. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const NAMES: ScenarioFile = {
  name: 'names',
  about: 'more names than a list or a table keeps',
  sharesStreams: true,
  scenarios: [
    {
      name: 'a list has the first names and the sum of the others',
      rules: ['GET-11', 'GET-08', 'STA-01', 'STA-02', 'STA-03'],
      uses: 'each',
      run: manyListed,
    },
    {
      name: 'further names are stored under one',
      rules: ['EVT-15', 'GET-11', 'GET-03'],
      uses: 'each',
      run: manyStored,
    },
    {
      name: 'further pairs of a name and an agent, and further agents, are stored under one',
      rules: ['EVT-15', 'STA-01', 'STA-06'],
      attacks: ['X9'],
      uses: 'both',
      run: manyPairs,
    },
  ],
};

interface Counted {
  readonly name: string | null;
  readonly count: number;
}

interface Tool {
  readonly tool_name: string | null;
  readonly total_calls: number;
  readonly error_count: number;
  readonly error_rate: number;
  readonly avg_duration_ms: number | null;
  readonly by_agent: readonly Counted[];
}

interface Spent {
  readonly name: string | null;
  readonly cost_usd: number;
  readonly tokens_in: number;
  readonly event_count: number;
}

const LISTED = LIMITS.listed_names;
const KEPT = LIMITS.names_per_kind;

async function get<T>(client: ApiClient, path: string): Promise<T> {
  const reply = await client.get(path);
  assert.equal(reply.status, 200, reply.text);
  return reply.json<T>();
}

/** The name at this place; the padding makes the order of texts that of numbers. */
function nameOf(place: number): string {
  return `name ${String(place).padStart(6, '0')}`;
}

async function manyListed(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const others = 30;
  // The first name has most events; all others have one each, so their order is that of their texts.
  const events = [nameOf(0), ...Array.from({ length: LISTED + others }, (_, at) => nameOf(at))].map(
    (name, at) =>
      event({
        tool_name: name,
        model: name,
        branch: name,
        project: name,
        agent_type: at % 2 === 0 ? 'even' : 'odd',
        status: at > LISTED ? 'error' : 'success',
        duration_ms: at,
        cost_usd: 0.25,
        tokens_in: 2,
      }),
  );
  await client.ingest(events);
  const stats = await get<Record<string, readonly Counted[]>>(client, '/api/stats');
  for (const kind of ['tools', 'models', 'branches']) {
    const list = stats[kind]!;
    assert.equal(list.length, LISTED + 1, kind);
    assert.deepEqual(list[0], { name: nameOf(0), count: 2 });
    assert.deepEqual(list[LISTED - 1], { name: nameOf(LISTED - 1), count: 1 });
    assert.deepEqual(list[LISTED], { name: null, count: others });
  }
  assert.equal(stats.agents!.length, 2);
  const options = await get<Record<string, readonly Counted[]>>(client, '/api/filter-options');
  for (const kind of ['tool_name', 'model', 'branch', 'project']) {
    assert.deepEqual(options[kind]!.at(-1), { name: null, count: others });
    assert.equal(options[kind]!.length, LISTED + 1);
  }
  const { tools } = await get<{ tools: readonly Tool[] }>(client, '/api/stats/tools');
  const rest = tools.at(-1)!;
  const last = Array.from({ length: others }, (_, at) => LISTED + 1 + at);
  const { by_agent, ...figures } = rest;
  assert.deepEqual(figures, {
    tool_name: null,
    total_calls: others,
    error_count: others,
    error_rate: 1,
    avg_duration_ms: last.reduce((sum, ms) => sum + ms, 0) / others,
  });
  assert.equal(
    by_agent.reduce((sum, { count }) => sum + count, 0),
    others,
  );
  assert.equal(tools.length, LISTED + 1);
  const cost = await get<Record<'by_project' | 'by_model', readonly Spent[]>>(client, '/api/stats/cost');
  for (const list of [cost.by_project, cost.by_model]) {
    const { name, cost_usd, tokens_in, event_count } = list.at(-1)!;
    assert.deepEqual([name, cost_usd, tokens_in, event_count], [null, others / 4, 2 * others, others]);
  }
  const exact = await get<Record<string, readonly Counted[]>>(client, '/api/stats?agent_type=even');
  assert.equal(exact.tools!.at(-1)!.name !== null, exact.tools!.length <= LISTED);
}

async function manyStored(context: ScenarioContext): Promise<void> {
  const first = await context.start();
  let client = context.client(first);
  const batch = 10_000;
  const total = 60_000;
  for (let at = 0; at < total / 2; at += batch) await send(at);
  await first.stop();
  // A restarted server counts the names of the file.
  const server = await context.start({ target: context.other });
  client = context.client(server);
  for (let at = total / 2; at < total; at += batch) await send(at);
  await client.ingest([event({ branch: nameOf(3), tool_name: nameOf(total) })]);
  const reply = await client.get('/api/stats');
  assert.ok(reply.text.length < 100_000, `${reply.text.length} bytes`);
  const { branches, total_events } = reply.json<{ branches: readonly Counted[]; total_events: number }>();
  assert.equal(total_events, total + 1);
  assert.deepEqual(branches[0], { name: VOCABULARY.overflow_name, count: total - KEPT });
  assert.deepEqual(branches[1], { name: nameOf(3), count: 2 });
  assert.equal(
    branches.reduce((sum, { count }) => sum + count, 0),
    total + 1,
  );
  const page = await get<{ events: readonly { branch: string }[] }>(
    client,
    `/api/events?branch=${encodeURIComponent(VOCABULARY.overflow_name)}&limit=1`,
  );
  assert.equal(page.events[0]!.branch, VOCABULARY.overflow_name);
  await server.stop();
  const db = new Database(context.db(), { readonly: true });
  const counts = db.prepare("SELECT count(*) FROM names WHERE kind = 'branch'").pluck().get();
  db.close();
  assert.equal(counts, KEPT + 1, 'the names that were kept, and the one of all others');

  async function send(at: number): Promise<void> {
    const events = Array.from({ length: batch }, (_, index) => event({ branch: nameOf(at + index) }));
    assert.equal((await client.ingest(events)).received, batch);
  }
}

const PAIR_KINDS = Object.entries(CONTRACT.fields).flatMap(([name, field]) =>
  field.kind === 'text' && 'dictionary' in field && name !== 'agent_type' ? [name] : [],
);

/** Stores the same events on both servers, with a restart by the other server between them. */
async function manyPairs(context: ScenarioContext): Promise<void> {
  const [agents, names] = [LIMITS.agent_types + 20, 12];
  const found: unknown[] = [];
  for (const target of [context.target, context.other]) {
    const db = context.db(`${target}.db`);
    const switched = target === context.target ? context.other : context.target;
    for (const [part, by] of [target, switched].entries()) {
      const server = await context.start({ target: by, db });
      const client = context.client(server);
      for (let name = part * (names / 2); name < (part + 1) * (names / 2); name++) {
        const events = Array.from({ length: agents }, (_, agent) => {
          const fields = PAIR_KINDS.map((kind) => [kind, nameOf(name)]);
          return event({ agent_type: `agent ${agent}`, ...Object.fromEntries(fields), tokens_in: 1 });
        });
        assert.equal((await client.ingest(events)).received, agents);
      }
      await server.stop();
    }
    const file = new Database(db, { readonly: true });
    const rows = (sql: string): unknown[] => file.prepare(sql).raw().all();
    const pairs = rows(`
      SELECT n.kind, count(DISTINCT s.name * 1000000 + s.agent_type), sum(s.event_count)
      FROM stats AS s JOIN names AS n ON n.id = s.name WHERE s.quarter < 1000000000000000 GROUP BY n.kind ORDER BY 1`);
    // The sums of each pair are those of the rows.
    const sums = PAIR_KINDS.map((kind) =>
      rows(`
        SELECT count(*) FROM (SELECT ${kind} AS name, agent_type, count(*) AS events FROM events GROUP BY 1, 2) AS e
        LEFT JOIN (SELECT name, agent_type, sum(event_count) AS events FROM stats WHERE quarter < 1000000000000000
          GROUP BY 1, 2) AS s USING (name, agent_type) WHERE s.events IS NOT e.events`),
    );
    const distinct = rows("SELECT count(*) FROM names WHERE kind = 'agent_type'");
    file.close();
    assert.deepEqual(
      sums,
      PAIR_KINDS.map(() => [[0]]),
    );
    assert.deepEqual(
      distinct,
      [[LIMITS.agent_types + 1]],
      'the agents that were kept, and that of all others',
    );
    for (const [kind, count, events] of pairs as [string, number, number][]) {
      assert.equal(events, agents * names, kind);
      if (!PAIR_KINDS.includes(kind)) continue;
      // The name of all others has a pair with each agent.
      const most = LIMITS.pairs_per_kind + LIMITS.agent_types + 1;
      assert.ok(count > LIMITS.pairs_per_kind && count <= most, `${kind} has ${count} pairs`);
    }
    found.push(pairs);
  }
  assert.deepEqual(found[1], found[0], 'both servers keep the same pairs');
}
