/**
 * Tests repeated `kill -9` under load on one file: no acknowledged event is lost, doubled or accepted again. The
 * server itself recovers the file; the checker reads it only after the server has started again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { checkKeys } from '../src/check-keys.ts';
import { checkLog, isSound } from '../src/check-log.ts';
import { DeliveryLog } from '../src/delivery-log.ts';
import { type Load, type RequestCounter, startLoad } from '../src/load.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

const CHECKER = fileURLToPath(new URL('../src/check-log.ts', import.meta.url));

export const CRASH: ScenarioFile = {
  name: 'crash',
  about: 'kill -9 under load loses no acknowledged event',
  scenarios: [
    {
      name: 'kill -9 under load loses no acknowledged event',
      rules: ['STO-03', 'EVT-13', 'ING-07', 'ING-08'],
      faults: ['F1'],
      uses: 'each',
      run: killInMidLoad,
    },
  ],
};

async function killInMidLoad(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const logFile = context.db('delivery.ndjson');
  const log = new DeliveryLog(logFile);
  context.atEnd(() => log.close());
  const counter: RequestCounter = { next: 0 };
  let last: Load['acknowledged'] = [];
  for (let kill = 0; kill < context.options.kills; kill += 1) {
    const server = await context.start();
    await requireDuplicates(context, server.port, last);
    const load = startLoad({ port: server.port, log, senders: 4, batch: 20, prefix: 'crash' }, counter);
    // A crash before the first acknowledgement proves nothing.
    await until(() => load.acknowledged.length >= 5, 'five acknowledged batches');
    await new Promise((resolve) => setTimeout(resolve, random.below(250)));
    await server.kill();
    await load.stop();
    last = load.acknowledged;
    assert.ok(last.length >= 5, 'the load was running when the server was killed');
    context.count('kills');
  }
  const server = await context.start();
  await requireDuplicates(context, server.port, last);
  const check = checkLog(logFile, context.db());
  assert.ok(isSound(check), JSON.stringify(check, null, 2));
  context.count('acknowledged', check.acknowledged);
  context.note(
    `${context.options.kills} kills, ${check.acknowledged} acknowledged, 0 lost, 0 double, ${check.unacknowledged_stored} stored without an answer`,
  );
  await server.stop();
  assert.deepEqual(checkKeys(context.db()).problems, []);
  const checker = spawnSync(process.execPath, [CHECKER, '--log', logFile, '--db', context.db()], {
    encoding: 'utf8',
  });
  assert.equal(
    checker.status,
    0,
    `the checker on the stopped server's file: ${checker.stdout}${checker.stderr}`,
  );
}

/** Checks that every event that was acknowledged before the crash is a duplicate after it. */
async function requireDuplicates(
  context: ScenarioContext,
  port: number,
  batches: Load['acknowledged'],
): Promise<void> {
  const client = new ApiClient(port);
  context.atEnd(() => client.close());
  for (const eventIds of batches) {
    const events = eventIds.map((id) => event({ event_id: id }));
    const reply = await client.post('/api/events/batch', { events });
    const { revision, ...counts } = reply.json<Ingested>();
    assert.deepEqual(counts, { received: 0, ids: [], duplicates: eventIds.length, rejected: [] });
    assert.ok(Number(revision) >= eventIds.length, `revision ${revision} has what was stored before`);
  }
  client.close();
}
