/** Tests the bounds of forwarding: deleted events, cycles, restored files. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import { runCommand } from '../../src/command-line.ts';
import {
  compareRows,
  forwardingOf,
  forwardMetrics,
  originOf,
  RECEIVERS,
  rowsOf,
  senderDb,
  startReceiver,
  startSender,
  untilForwarded,
} from '../../src/forward-pair.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

/** Bytes that hold some of the events. Retention keeps the newest thousand in any case. */
const BOUND = 2_500_000;

/** Retention deletes what waits, and the loss is visible. */
export async function lostEvents(context: ScenarioContext): Promise<void> {
  const first = await startReceiver(context, 'rs');
  await first.stop();
  const sender = await startSender(context, 'rs', first.port, ['--retain-bytes', String(BOUND)]);
  const client = context.client(sender);
  let sent = 0;
  for (; sent < 6_000; sent += 500) {
    await client.ingest(Array.from({ length: 500 }, () => event({ metadata: { text: 'x'.repeat(600) } })));
  }
  const used = async (): Promise<number> =>
    (await client.get('/api/retention')).json<{ used_bytes: number }>().used_bytes;
  await until(async () => (await used()) <= BOUND, 'used bytes below the bound');
  // Below the bound, retention goes on for a few steps. The writer has done the last one before it stores another event.
  assert.equal((await client.send('PUT', '/api/retention?bytes=0', undefined, [])).status, 200);
  await client.ingest([event()]);
  sent += 1;
  const left = rowsOf(senderDb(context, 'rs')).length;
  const before = await forwardMetrics(client);
  assert.equal(before.lost_events_total, sent - left);
  assert.ok(
    before.waiting_events! >= left && before.waiting_events! < left + 100,
    `${before.waiting_events} wait`,
  );
  const receiver = await startReceiver(context, 'rs', first.port);
  await untilForwarded(client, 60_000);
  assert.equal(compareRows(senderDb(context, 'rs'), context.db('receiver-rs.db')), left);
  assert.match(sender.stderr(), /"message":"retention deleted events that were not forwarded"/);
  await Promise.all([sender.stop(), receiver.stop()]);
}

/** Deletions by clients stay at the sender. */
export async function deletedEvents(context: ScenarioContext): Promise<void> {
  const receiver = await startReceiver(context, 'ts');
  const sender = await startSender(context, 'ts', receiver.port);
  const client = context.client(sender);
  await client.ingest(Array.from({ length: 30 }, (_, at) => event({ session_id: `s${at % 3}` })));
  await untilForwarded(client);
  assert.equal((await client.send('DELETE', '/api/sessions/s1', undefined, [])).status, 200);
  assert.equal((await client.send('DELETE', '/api/events?before=10', undefined, [])).status, 200);
  await client.ingest([event()]);
  await untilForwarded(client);
  assert.equal(rowsOf(context.db('receiver-ts.db')).length, 31);
  assert.equal((await forwardMetrics(client)).lost_events_total, 0);
  await Promise.all([sender.stop(), receiver.stop()]);
}

/** A cycle of servers, and a server that forwards to itself, come to rest. */
export async function cycle(context: ScenarioContext): Promise<void> {
  const [one, two] = (await freePorts(2)) as [number, number];
  const start = (target: 'rs' | 'ts', name: string, port: number, to: number) =>
    context.start({
      target,
      db: context.db(`${name}.db`),
      flags: ['--port', String(port), '--forward', `http://127.0.0.1:${to}`],
    });
  const events = Array.from({ length: 40 }, (_, at) => event(at % 2 === 0 ? { event_id: `e${at}` } : {}));
  const pair = [await start(context.target, 'one', one, two), await start(context.other, 'two', two, one)];
  const clients = pair.map((server) => context.client(server));
  await clients[0]!.ingest(events);
  await until(() => rowsOf(context.db('two.db')).length === 40, 'the second server has every event');
  for (const client of clients) await untilForwarded(client);
  // The second server returns every event. The first one does not know the made ids of those without an id.
  await until(() => rowsOf(context.db('one.db')).length === 60, 'the first server has the copies');
  for (const client of clients) await untilForwarded(client);
  for (const server of pair) await server.stop();
  assert.deepEqual([rowsOf(context.db('one.db')).length, rowsOf(context.db('two.db')).length], [60, 40]);

  const itself = await start(context.target, 'self', one, one);
  const client = context.client(itself);
  await client.ingest(events);
  await until(() => rowsOf(context.db('self.db')).length === 60, 'the copies');
  await untilForwarded(client);
  assert.equal(rowsOf(context.db('self.db')).length, 60);
  await itself.stop();
}

/** A restored file goes on: made ids stay, so the receiver gets no event twice. */
export async function restored(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    const receiver = await startReceiver(context, target);
    const db = senderDb(context, target);
    const sender = await startSender(context, target, receiver.port);
    const client = context.client(sender);
    await client.ingest(Array.from({ length: 20 }, () => event()));
    const backup = context.db(`backup-${target}.db`);
    const saved = await runCommand(context.target, ['backup', backup, '--db', db], { cwd: context.folder });
    assert.equal(saved.exit, 0, saved.stderr);
    await client.ingest(Array.from({ length: 20 }, () => event()));
    await untilForwarded(client);
    await sender.stop();
    const copy = context.db(`copy-${target}.db`);
    const made = await runCommand(context.other, ['restore', backup, '--db', copy], { cwd: context.folder });
    assert.equal(made.exit, 0, made.stderr);
    assert.equal(originOf(copy), originOf(db));
    // The ids from 21 on now belong to other events.
    const flags = ['--forward', `http://127.0.0.1:${receiver.port}`];
    const second = await context.start({ db: copy, flags });
    const other = context.client(second);
    await other.ingest(Array.from({ length: 20 }, () => event()));
    await untilForwarded(other);
    assert.equal((await forwardingOf(other)).failure, null);
    assert.equal(rowsOf(context.db(`receiver-${target}.db`)).length, 60);
    await Promise.all([second.stop(), receiver.stop()]);
  }
}

/** A receiver with smaller limits gets smaller batches, and lacks only an event that is too large for it. */
export async function smallerLimits(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    const limits = [
      '--max-body-bytes',
      '65536',
      '--max-batch-events',
      '300',
      '--max-metadata-bytes',
      '60000',
    ];
    const receiver = await startReceiver(context, target, 0, limits);
    const sender = await startSender(context, target, receiver.port, ['--max-metadata-bytes', '200000']);
    const client = context.client(sender);
    const small = (count: number): unknown[] =>
      Array.from({ length: count }, () => event({ metadata: { text: 'x'.repeat(500) } }));
    await client.ingest([...small(500), event({ metadata: { text: 'y'.repeat(100_000) } }), ...small(500)]);
    await untilForwarded(client);
    const received = rowsOf(context.db(`receiver-${target}.db`));
    assert.equal(received.length, 1000);
    const {
      events_total: events,
      refused_events_total: refused,
      failures_total,
    } = await forwardMetrics(client);
    assert.deepEqual([events, refused], [1000, 1]);
    // A body that is too large may end as a reset connection, which is repeated.
    context.note(`${context.target} to ${target}: ${failures_total} failures`);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}
