/** Tests exactly-once forwarding with kills of either server under load, and after a long absence of the receiver. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { checkLog } from '../../src/check-log.ts';
import { DeliveryLog } from '../../src/delivery-log.ts';
import {
  compareRows,
  forwardingOf,
  forwardMetrics,
  RECEIVERS,
  senderDb,
  startReceiver,
  startSender,
  untilForwarded,
} from '../../src/forward-pair.ts';
import { startLoad } from '../../src/load.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

const KILLS = 4;
const NO_FAULT = { lost: [], double: [], partial: [], integrity: 'ok' };

/** The receiver is killed under load and starts again on its port. */
export async function receiverKilled(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  for (const target of RECEIVERS) {
    const log = new DeliveryLog(context.db(`${target}.ndjson`));
    context.atEnd(() => log.close());
    let receiver = await startReceiver(context, target);
    const { port } = receiver;
    const sender = await startSender(context, target, port);
    const load = startLoad({ port: sender.port, log, senders: 2, batch: 20, prefix: target }, { next: 0 });
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(200 + random.below(300));
      await receiver.kill();
      await pause(random.below(300));
      receiver = await startReceiver(context, target, port);
    }
    await load.stop();
    const client = context.client(sender);
    await untilForwarded(client);
    const count = compareRows(senderDb(context, target), context.db(`receiver-${target}.db`));
    assert.ok(load.acknowledged.length > 5);
    const { failures_total: failures } = await forwardMetrics(client);
    assert.ok(failures! > 0, 'a kill of the receiver was noticed');
    context.note(
      `${context.target} to ${target}: ${KILLS} kills of the receiver, ${count} events, each once`,
    );
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}

/** The sender is killed under load; the other twin continues its file. */
export async function senderKilled(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  for (const target of RECEIVERS) {
    const logFile = context.db(`${target}.ndjson`);
    const log = new DeliveryLog(logFile);
    context.atEnd(() => log.close());
    const receiver = await startReceiver(context, target);
    const counter = { next: 0 };
    const flags = ['--forward', `http://127.0.0.1:${receiver.port}`];
    const db = senderDb(context, target);
    for (let kill = 0; kill < KILLS; kill++) {
      const sender = await context.start({
        target: kill % 2 === 0 ? context.target : context.other,
        db,
        flags,
      });
      const load = startLoad({ port: sender.port, log, senders: 2, batch: 20, prefix: target }, counter);
      // Events without an id, whose made ids must not depend on the process.
      const client = context.client(sender);
      for (let at = 0; at < 10; at++) await client.ingest([event({ metadata: { kill, at } })]);
      await until(() => load.acknowledged.length >= 10, 'ten acknowledged batches');
      await pause(random.below(400));
      await sender.kill();
      await load.stop();
    }
    const sender = await context.start({ db, flags });
    await untilForwarded(context.client(sender));
    const count = compareRows(db, context.db(`receiver-${target}.db`));
    const check = checkLog(logFile, context.db(`receiver-${target}.db`));
    assert.ok(check.acknowledged > 0);
    // The ids of rows are those of the sender, so only these members count.
    const { lost, double, partial, integrity } = check;
    assert.deepEqual({ lost, double, partial, integrity }, NO_FAULT);
    context.note(`${context.target} to ${target}: ${KILLS} kills of the sender, ${count} events, each once`);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}

const BACKLOG = 20_000;
const BATCH = 500;

/** The receiver is away during the whole load. */
export async function receiverAway(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    // The port of a receiver that has ended.
    const first = await startReceiver(context, target);
    await first.stop();
    let sender = await startSender(context, target, first.port);
    let client = context.client(sender);
    for (let sent = 0; sent < BACKLOG; sent += BATCH) {
      const events = Array.from({ length: BATCH }, (_, at) => {
        const id = at % 2 === 0 ? { event_id: `away-${sent + at}` } : {};
        return event({ ...id, session_id: `s${at % 7}`, metadata: { n: sent + at, text: 'x'.repeat(300) } });
      });
      await client.ingest(events);
    }
    await until(async () => (await forwardingOf(client)).failure !== null, 'a failure');
    const before = await forwardingOf(client);
    assert.deepEqual([before.waiting, before.failure], [BACKLOG, 'unreachable']);
    assert.equal((await forwardMetrics(client)).waiting_events, BACKLOG);
    await sender.stop();

    const receiver = await startReceiver(context, target, first.port);
    const startMs = performance.now();
    sender = await startSender(context, target, receiver.port);
    client = context.client(sender);
    const readyMs = performance.now() - startMs;
    await untilForwarded(client);
    const seconds = (performance.now() - startMs - readyMs) / 1000;
    compareRows(senderDb(context, target), context.db(`receiver-${target}.db`));
    const rate = Math.round(BACKLOG / seconds);
    context.note(`${context.target} to ${target}: ${BACKLOG} events caught up at ${rate} events/s`);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}
