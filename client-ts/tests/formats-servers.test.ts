/**
 * Tests the formats on both servers, over TCP and a Unix domain socket. Each event is stored once, and a page is the
 * same in each format.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { EventRow, EventsQuery } from '../src/contract.ts';
import type { Format, PageFormat } from '../src/format.ts';
import { msgpack } from '../src/msgpack.ts';
import { ndjson } from '../src/ndjson.ts';
import { protobuf } from '../src/protobuf.ts';
import { events } from '../src/read.ts';
import { RefusedError } from '../src/refusal.ts';
import { Sender, type SenderState } from '../src/send.ts';
import type { ServerOptions } from '../src/server.ts';
import { event } from './fake-ingest.ts';
import { losingRelay } from './relay.ts';

type Codec = { readonly format?: Format & PageFormat };
const CODECS: Readonly<Record<string, Codec>> = {
  json: {},
  ndjson: { format: ndjson },
  msgpack: { format: msgpack },
  protobuf: { format: protobuf },
};

const folder = mkdtempSync(join(tmpdir(), 'client-formats-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let paths = 0;
const newPath = () => join(folder, String(++paths));

async function start(t: TestContext, name: TargetName, ...flags: string[]): Promise<RunningServer> {
  const own = ['--db', newPath(), '--socket', newPath()];
  const server = await startServer(name, { cwd: folder, flags: [...own, ...flags] });
  t.after(() => server.kill());
  return server;
}

/** Returns every row of the query, page by page. */
async function rowsOf(options: Codec & ServerOptions, query: EventsQuery = {}): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (let after = 0; ; ) {
    const page = await events({ ...options, query: { limit: 90, ...query, after } });
    rows.push(...page.events);
    if (page.next === null) return rows;
    after = page.next;
  }
}

const WRONG: Readonly<Record<number, Parameters<typeof event>[0]>> = {
  0: { branch: 'x'.repeat(1025) },
  120: { call_id: 'x'.repeat(257), cost_usd: -1 },
  249: { model: 'é'.repeat(129) },
};
/** A value that is nested too deeply for every format (BOD-01, FMT-05). */
const DEEP: unknown = JSON.parse(`${'['.repeat(130)}${']'.repeat(130)}`);
const numbered = (session_id: string, i: number) =>
  event({
    session_id,
    tool_name: `tool-${i}`,
    tokens_in: 2 ** 40 + i,
    duration_ms: i,
    cost_usd: i / 10,
    cache_write_tokens: 3,
    cache_write_1h_tokens: 2,
    response_id: `response-${i}`,
    service_tier: i % 2 === 0 ? 'priority' : null,
    ...{ subagent: 'reviewer', skill: 'pdf', mcp_server: 'github', host: 'laptop' },
    client_timestamp: `2026-02-18T18:06:41.${100 + i}Z`,
    arrived_at: `2026-02-18T18:06:42.${100 + i}Z`,
    status: i % 2 === 0 ? 'success' : 'timeout',
    metadata: i === 7 ? undefined : { text: 'é😀\n', list: [i, null, 0.1] },
    ...WRONG[i],
  });

for (const name of TARGET_NAMES) {
  for (const transport of ['TCP', 'a socket'])
    test(`${name} stores batches of each format over ${transport}, rejects invalid events and returns equal pages`, async (t) => {
      const { url, ready } = await start(t, name);
      const where: ServerOptions = transport === 'TCP' ? { baseUrl: url } : { socketPath: ready.socket! };
      for (const [session_id, codec] of Object.entries(CODECS)) {
        const rejected: [string, readonly string[]][] = [];
        const sender = new Sender({
          ...where,
          ...codec,
          onRejected: ({ event_id }, problems) =>
            rejected.push([event_id, problems.map((problem) => problem.split(':')[0]!)]),
        });
        const ids = Array.from({ length: 250 }, (_, i) => sender.send(numbered(session_id, i)));
        await sender.flush();
        sender.stop();
        assert.deepEqual(rejected, [
          [ids[0], ['branch']],
          [ids[120], ['call_id', 'cost_usd']],
          [ids[249], ['model']],
        ]);
        assert.deepEqual({ ...sender.counts }, { stored: 247, duplicates: 0, rejected: 3 });
        const rows = await rowsOf(where, { session_id });
        assert.deepEqual(
          rows.map(({ event_id }) => event_id),
          ids.filter((_, i) => WRONG[i] === undefined),
        );
        assert.partialDeepStrictEqual(rows[1], { ...numbered(session_id, 2), event_id: ids[2] });
      }
      // The text is compared, because it contains the order of the members.
      const expected = JSON.stringify(await rowsOf(where));
      for (const codec of Object.values(CODECS)) {
        assert.equal(JSON.stringify(await rowsOf({ ...where, ...codec })), expected, codec.format?.type);
        await assert.rejects(
          events({ ...where, ...codec, query: { limit: 0 } }),
          (error) => error instanceof RefusedError && error.code === 'invalid_parameter',
        );
      }
      const { events: all, next } = await events({ ...where, format: ndjson, query: { limit: 5000 } });
      assert.deepEqual([all.length, next], [988, 1]);
    });

  test(`${name} stores the valid events of a batch with one too deep and one too large, in each format`, async (t) => {
    const socketPath = (await start(t, name, '--max-body-bytes', '20000')).ready.socket!;
    const problems: Readonly<Record<string, string>> = {
      json: 'refused with 400 invalid_json',
      ndjson: 'body: must be valid JSON',
      msgpack: 'metadata: must be JSON text',
      protobuf: 'metadata: must be JSON text',
    };
    for (const [session_id, codec] of Object.entries(CODECS)) {
      const rejected: [string, string][] = [];
      const sender = new Sender({
        socketPath,
        ...codec,
        onRejected: ({ event_id }, [problem]) => rejected.push([event_id, problem!]),
      });
      const metadata: Readonly<Record<number, unknown>> = { 3: DEEP, 40: 'x'.repeat(20_000) };
      const ids = Array.from({ length: 60 }, (_, i) =>
        sender.send(event({ session_id, metadata: metadata[i] })),
      );
      await sender.flush();
      sender.stop();
      assert.deepEqual(rejected, [
        [ids[3], problems[session_id]],
        [ids[40], 'refused with 413 payload_too_large'],
      ]);
      const rows = await rowsOf({ ...codec, socketPath }, { session_id });
      assert.deepEqual(
        rows.map(({ event_id }) => event_id),
        ids.filter((_, i) => metadata[i] === undefined),
      );
    }
  });

  test(`${name} stores each event once in each format after two lost answers`, async (t) => {
    const server = (await start(t, name)).ready.socket!;
    for (const [session_id, codec] of Object.entries(CODECS)) {
      const socketPath = newPath();
      const relay = await losingRelay(socketPath, server, 2);
      t.after(() => relay.close());
      const states: SenderState[] = [];
      const sender = new Sender({
        socketPath,
        random: () => 0,
        ...codec,
        onState: (state) => states.push(state),
      });
      const ids = Array.from({ length: 30 }, () => sender.send(event({ session_id })));
      await sender.flush();
      sender.stop();
      assert.equal(relay.lost(), 2);
      assert.deepEqual(states, ['retrying', 'retrying', 'connected'], session_id);
      assert.deepEqual({ ...sender.counts }, { stored: 0, duplicates: 30, rejected: 0 });
      const rows = await rowsOf({ ...codec, socketPath: server }, { session_id });
      assert.deepEqual(
        rows.map(({ event_id }) => event_id),
        ids,
      );
    }
  });

  test(`${name} stores each event once in each format after its own 503`, async (t) => {
    const server = await start(t, name, '--max-body-bytes', '65536', '--queue-bytes', '65536');
    const socketPath = server.ready.socket!;
    // What has arrived of a body that does not end fills the queue (ING-10).
    const stalled = connect(socketPath).on('error', () => {});
    t.after(() => stalled.destroy());
    const head = ['POST /api/events/batch HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json'];
    stalled.write([...head, 'Content-Length: 65536', 'Expect: 100-continue', '', ''].join('\r\n'));
    const [answer] = await once(stalled.setEncoding('utf8'), 'data');
    assert.match(answer, /^HTTP\/1.1 100 /);
    stalled.write('x'.repeat(65_535));
    const senders = Object.entries(CODECS).map(([session_id, codec]) => {
      const failures: unknown[] = [];
      let refuse = () => {};
      const refused = new Promise<void>((resolve) => {
        refuse = resolve;
      });
      const sender = new Sender({
        socketPath,
        ...codec,
        onState: (state, error) => {
          if (state !== 'retrying') return;
          failures.push(error);
          refuse();
        },
      });
      const ids = Array.from({ length: 30 }, () => sender.send(event({ session_id })));
      return { session_id, codec, sender, ids, failures, refused };
    });
    await Promise.all(senders.map(({ refused }) => refused));
    stalled.destroy();
    for (const { session_id, codec, sender, ids, failures } of senders) {
      await sender.flush();
      sender.stop();
      const [first] = failures as RefusedError[];
      assert.deepEqual([first?.status, first?.code, first?.after_ms], [503, 'overloaded', 1000]);
      assert.deepEqual({ ...sender.counts }, { stored: 30, duplicates: 0, rejected: 0 });
      const rows = await rowsOf({ ...codec, socketPath }, { session_id });
      assert.deepEqual(
        rows.map(({ event_id }) => event_id),
        ids,
      );
    }
  });
}
