/** Tests snapshots during writes and across servers: each has one state, which includes all acknowledged events. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SNAPSHOTS: ScenarioFile = {
  name: 'snapshots',
  about: 'snapshots during writes and across servers',
  sharesStreams: true,
  scenarios: [
    {
      name: 'revision and data come from one state during writes',
      rules: ['SYN-05', 'SYN-01'],
      uses: 'each',
      run: consistency,
    },
    {
      name: 'consecutive deltas have every event once',
      rules: ['SYN-07'],
      uses: 'each',
      run: deltas,
    },
    {
      name: 'a delta has the same rows at any distance',
      rules: ['SYN-05', 'SYN-06', 'SYN-07'],
      uses: 'each',
      run: distances,
    },
    {
      name: 'the next snapshot has every acknowledged and reported event',
      rules: ['ING-11', 'SYN-05', 'SYN-08'],
      uses: 'each',
      run: ownWrites,
    },
    {
      name: 'a client keeps its revision and its tag when the server changes',
      rules: ['SYN-01', 'SYN-06', 'SYN-07', 'PRO-08'],
      uses: 'both',
      run: turns,
    },
  ],
};

interface Snapshot<Data = Page> {
  readonly topic: string;
  readonly epoch: string;
  readonly revision: string;
  readonly since?: string;
  readonly reset?: true;
  readonly data: Data;
}

interface Page {
  readonly events: readonly { readonly id: number }[];
  readonly next: number | null;
}

const WRITERS = 4;

async function get<Data = Page>(client: ApiClient, path: string): Promise<Snapshot<Data>> {
  const reply = await client.get(`/api/snapshot/${path}`);
  assert.equal(reply.status, 200, `${path}: ${reply.text}`);
  const shown = reply.json<Snapshot<Data>>();
  assert.deepEqual(headerValues(reply.headers, 'etag'), [`W/"${shown.epoch}-${shown.revision}"`]);
  return shown;
}

function ids(page: Page): number[] {
  return page.events.map((one) => one.id);
}

/** Writes batches of one to five events until stopped; resolves to the acknowledged ids. */
function write(context: ScenarioContext, client: ApiClient): { stop(): Promise<number[]> } {
  let writing = true;
  const acknowledged: number[] = [];
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let turn = 0; writing; turn += 1) {
      const events = Array.from({ length: 1 + (turn % 5) }, () => event({ session_id: `s${writer}` }));
      acknowledged.push(...(await client.ingest(events)).ids);
    }
  });
  context.atEnd(() => {
    writing = false;
  });
  return {
    stop: async () => {
      writing = false;
      await Promise.all(writers);
      return acknowledged;
    },
  };
}

async function consistency(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest(Array.from({ length: WRITERS }, (_, writer) => event({ session_id: `s${writer}` })));
  const writers = write(context, client);
  const last = new Map<string, number>();
  const rises = (shown: Snapshot<unknown>): number => {
    const revision = Number(shown.revision);
    assert.ok(revision >= (last.get(shown.topic) ?? 0), `${shown.topic} fell to ${revision}`);
    last.set(shown.topic, revision);
    return revision;
  };
  for (let round = 0; round < 100; round += 1) {
    const events = await get(client, 'events?limit=5');
    assert.equal(events.data.events[0]!.id, rises(events));
    const stats = await get<{ total_events: number }>(client, 'stats');
    assert.equal(stats.data.total_events, rises(stats));
    const sessions = await get<{ sessions: { last_event_id: number }[] }>(client, 'sessions');
    assert.equal(sessions.data.sessions[0]!.last_event_id, rises(sessions));
    const own = await get<Page & { session: { last_event_id: number } }>(client, 'session:s1?limit=1');
    assert.equal(own.data.session.last_event_id, rises(own));
    assert.equal(own.data.events[0]!.id, Number(own.revision));
  }
  const acknowledged = await writers.stop();
  assert.equal((await get(client, 'stats')).revision, String(Math.max(...acknowledged)));
  assert.ok(last.get('stats')! > WRITERS, 'there were writers');
}

async function deltas(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const writers = write(context, client);
  const held: number[] = [];
  let revision = '0';
  for (let round = 0; round < 100; round += 1) {
    const shown = await get(client, `events?since=${revision}&limit=1000`);
    assert.deepEqual(Object.keys(shown), ['topic', 'epoch', 'revision', 'since', 'data']);
    assert.equal(shown.since, revision);
    assert.equal(shown.data.next, null);
    held.push(...ids(shown.data).reverse());
    assert.equal(held.at(-1) ?? 0, Number(shown.revision));
    revision = shown.revision;
  }
  const acknowledged = await writers.stop();
  held.push(...ids((await get(client, `events?since=${revision}&limit=1000`)).data).reverse());
  assert.deepEqual(
    held,
    acknowledged.sort((one, other) => one - other),
  );
}

/** A server may use different queries for few and for many of the newest events. The answers must not differ. */
async function distances(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const count = 40;
  const events = Array.from({ length: count }, (_, i) =>
    event({ metadata: { text: `é${i}`, deep: [i, {}] } }),
  );
  await client.ingest(events);
  const listed = (await client.get(`/api/events?limit=${count}`)).json<{ events: unknown[] }>().events;
  const limit = 25;
  for (let back = 0; back <= count; back += 1) {
    const path = `events?since=${count - back}&limit=${limit}`;
    const shown = await get<{ events: unknown[]; next: number | null }>(client, path);
    assert.equal(shown.revision, String(count));
    const isWhole = back > limit;
    assert.equal(shown.reset, isWhole ? true : undefined, `${back} back`);
    assert.deepEqual(shown.data.events, listed.slice(0, isWhole ? limit : back), `${back} back`);
    const tag = `W/"${shown.epoch}-${shown.revision}"`;
    const known = await client.send('GET', `/api/snapshot/${path}`, undefined, [['if-none-match', tag]]);
    assert.equal(known.status, 304, `${back} back`);
  }
}

async function ownWrites(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const reader = context.client(server);
  const stream = await context.stream(server, '?mode=invalidate&topics=events');
  const writers = write(context, client);
  for (let round = 0; round < 50; round += 1) {
    const posted = await client.ingest([event({ session_id: 'own' })]);
    assert.ok(Number(posted.revision) >= posted.ids[0]!, 'its own event is in its revision');
    const shown = await get(reader, `session:own?wait=${posted.revision}&limit=1`);
    assert.equal(shown.data.events[0]!.id, posted.ids[0]);
    const all = await get(reader, 'events?limit=1');
    assert.ok(Number(all.revision) >= Number(posted.revision), 'without a wait too');
    const reported = stream.revisionOf('events') ?? '0';
    const after = await get(reader, 'stats');
    assert.ok(Number(after.revision) >= Number(reported), 'a reported change is committed');
  }
  await writers.stop();
}

async function turns(context: ScenarioContext): Promise<void> {
  let etag = '';
  let held: Snapshot | undefined;
  for (const target of [context.target, context.other, context.target]) {
    const server = await context.start({ target });
    const client = context.client(server);
    if (held) {
      const same = await client.send('GET', '/api/snapshot/stats', undefined, [['if-none-match', etag]]);
      assert.equal(same.status, 304, `${target} knows the tag of the other`);
      assert.deepEqual(headerValues(same.headers, 'etag'), [etag]);
    }
    const since = held?.revision ?? '0';
    const epoch = held ? `&epoch=${held.epoch}` : '';
    const posted = await client.ingest([event(), event()]);
    const shown = await get(client, `events?since=${since}${epoch}`);
    assert.deepEqual(ids(shown.data).reverse(), posted.ids);
    assert.equal(shown.epoch, held?.epoch ?? shown.epoch);
    held = shown;
    etag = `W/"${shown.epoch}-${shown.revision}"`;
    await server.stop();
  }
  assert.equal(held?.revision, '6');
}
