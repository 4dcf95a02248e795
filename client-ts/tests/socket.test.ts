/** Tests the live stream and topics over a Unix domain socket, while the two servers alternate on it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ConnectionState } from '../src/connection.ts';
import { sessions, stats } from '../src/read.ts';
import { Sender } from '../src/send.ts';
import { streamEvents } from '../src/stream.ts';
import { Sync } from '../src/sync.ts';
import { Topics } from '../src/topics.ts';
import { event } from './fake-ingest.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-socket-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const name of TARGET_NAMES)
  test(`stream and state work over the socket of ${name}, and continue with the other server`, async (t) => {
    const socketPath = join(folder, `${name}.socket`);
    const flags = ['--db', join(folder, `${name}.db`), '--socket', socketPath];
    const start = (target: TargetName) => startServer(target, { cwd: folder, flags });
    let server = await start(name);
    t.after(() => server.kill());
    let wake = () => {};
    const until = async (condition: () => boolean) => {
      while (!condition())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    const common = { socketPath, random: () => 0.1 };
    const end = new AbortController();
    const streamed: number[] = [];
    const states: Record<'stream' | 'topics', ConnectionState[]> = { stream: [], topics: [] };
    const stateOf = (list: ConnectionState[]) => (state: ConnectionState) => {
      list.push(state);
      wake();
    };
    const streaming = streamEvents({
      ...common,
      signal: end.signal,
      onState: stateOf(states.stream),
      onEvent(row) {
        streamed.push(row.id);
        wake();
      },
    });
    const topics = new Topics({ ...common, topics: ['events'], onState: stateOf(states.topics) });
    let applied: readonly number[] = [];
    const sync = new Sync({
      ...topics.of('events', { limit: 100, deltas: true }),
      random: common.random,
      apply({ data }, isReset) {
        const came = data.events.map(({ id }) => id);
        applied = isReset ? came : [...came, ...applied];
        wake();
      },
    });
    await sync.start();
    await until(() => states.stream.at(-1) === 'open');
    const sender = new Sender(common);
    const send = async (count: number) => {
      for (let i = 0; i < count; i++) sender.send(event());
      await sender.flush();
    };
    const hasAll = (count: number) => streamed.length >= count && applied.length >= count;

    await send(40);
    await until(() => hasAll(40));
    await server.kill();
    await until(() => states.stream.at(-1) === 'waiting' && states.topics.at(-1) === 'waiting');
    server = await start(TARGET_NAMES.find((other) => other !== name)!);
    await send(10);
    await until(() => hasAll(50));

    const ids = Array.from({ length: 50 }, (_, i) => i + 1);
    assert.deepEqual(streamed, ids);
    assert.deepEqual(applied, ids.toReversed());
    assert.equal(sync.known?.revision, sender.revision);
    const { total_events } = await stats({ socketPath });
    const [session] = (await sessions({ socketPath })).sessions;
    assert.deepEqual([total_events, session?.event_count], [50, 50]);
    sender.stop();
    sync.stop();
    end.abort();
    await streaming;
  });
