/**
 * Tests topics on real servers: the applied state equals the stored one, across kills, restarts and the other server.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ConnectionState } from '../src/connection.ts';
import type { EventRow, SessionWithEvents } from '../src/contract.ts';
import { Sender } from '../src/send.ts';
import { Sync } from '../src/sync.ts';
import type { Snapshot } from '../src/sync-options.ts';
import { Topics } from '../src/topics.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-topics-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
const start = (name: TargetName, db: string, ...flags: readonly string[]): Promise<RunningServer> =>
  startServer(name, { cwd: folder, flags: ['--db', db, ...flags] });

/** Posts events. Returns the revision that includes them. */
async function post(url: string, count: number, session_id = 's'): Promise<string> {
  const sender = new Sender({ baseUrl: url });
  for (let i = 0; i < count; i++) sender.send({ session_id, agent_type: 'agent', event_type: 'tool_use' });
  await sender.flush();
  sender.stop();
  return sender.revision!;
}

/** Keeps the newest rows of `events` through deltas, and counts the requests. */
function follow(url: string, limit: number) {
  const topics = new Topics({
    baseUrl: url,
    topics: ['events', 'stats'],
    min_interval_ms: 20,
    random: () => 0.1,
    onState: (state) => {
      states.push(state);
      wake();
    },
  });
  const states: ConnectionState[] = [];
  let ids: number[] = [];
  let resets = 0;
  let wake = () => {};
  const sync = new Sync<{ readonly events: readonly EventRow[] }>({
    ...topics.of('events', { limit, deltas: true }),
    random: () => 0.1,
    apply({ data }, isReset) {
      const came = data.events.map(({ id }) => id);
      ids = isReset ? came : [...came, ...ids];
      if (isReset) resets++;
      wake();
    },
  });
  const until = async (condition: () => boolean) => {
    while (!condition())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  return { topics, sync, states, until, ids: () => ids, resets: () => resets };
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
const otherOf = (name: TargetName) => TARGET_NAMES.find((other) => other !== name)!;

for (const name of TARGET_NAMES) {
  test(`deltas of ${name} add up to its rows across a kill, the other server and another database`, async () => {
    const db = newFile();
    let server = await start(name, db);
    const { port, url } = server;
    const followed = follow(url, 50);
    await followed.sync.start();
    for (let i = 1; i <= 10; i++) assert.equal(await post(url, 4), String(i * 4));
    await followed.until(() => followed.ids()[0] === 40);
    assert.deepEqual([followed.ids(), followed.resets()], [down(40, 1), 1]);

    await server.kill();
    await followed.until(() => followed.states.at(-1) === 'waiting');
    server = await start(otherOf(name), db, '--port', String(port));
    await post(url, 10);
    await followed.until(() => followed.ids()[0] === 50);
    assert.deepEqual([followed.ids(), followed.resets()], [down(50, 1), 1]);

    await server.stop();
    server = await start(name, db, '--port', '0');
    await post(server.url, 51);
    await server.stop();
    server = await start(name, db, '--port', String(port));
    await followed.until(() => followed.ids()[0] === 101);
    assert.deepEqual(
      [followed.ids(), followed.resets()],
      [down(101, 52), 2],
      'a longer gap is answered whole',
    );

    await server.kill();
    server = await start(name, newFile(), '--port', String(port));
    await post(url, 3);
    await followed.until(() => followed.ids()[0] === 3);
    assert.deepEqual(followed.ids(), down(3, 1));
    assert.equal(followed.sync.known?.revision, '3');
    followed.sync.stop();
    await server.stop();
  });

  test(`every session id of ${name} works as a topic`, async () => {
    const server = await start(name, newFile());
    const id = 'a,b/c%20 d?&é😀';
    await post(server.url, 1, id);
    const topics = new Topics({ baseUrl: server.url, topics: [`session:${id}`, 'stats'] });
    const applied: string[] = [];
    let wake = () => {};
    const options = topics.of(`session:${id}`);
    const apply = ({ revision, data }: Snapshot<SessionWithEvents>) => {
      applied.push(`${revision} ${data.session.id}`);
      wake();
    };
    const sync = new Sync({ ...options, apply });
    await sync.start();
    await post(server.url, 1, 'another');
    const came = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await post(server.url, 1, id);
    await came;
    assert.deepEqual(applied, [`1 ${id}`, `3 ${id}`]);
    sync.stop();
    await server.stop();
  });

  test(`events flushed to ${name} are in the next state, and an unchanged state is not sent`, async () => {
    const server = await start(name, newFile());
    const followed = follow(server.url, 100);
    await followed.sync.start();
    for (let i = 1; i <= 20; i++) {
      await post(server.url, 1);
      await followed.sync.refresh();
      assert.equal(followed.ids()[0], i);
    }
    const { applies, unchanged } = followed.sync.counts;
    await followed.sync.refresh();
    assert.equal(followed.sync.counts.applies, applies);
    // There is at least one more fetch, since a fetch that is requested during the last one may follow it.
    assert.ok(followed.sync.counts.unchanged > unchanged);
    const { fetch } = followed.topics.of('events');
    assert.equal(await fetch(followed.sync.known, new AbortController().signal), null);
    followed.sync.stop();
    await server.stop();
  });
}
