/** Stops the process and moves its clock (faults F14, F19). */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import { checkLog, isSound } from '../../src/check-log.ts';
import { DeliveryLog } from '../../src/delivery-log.ts';
import { startLoad } from '../../src/load.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

const STOPPED_MS = 3_000;

/** The load, a stream and the writer stand still, and continue where they were. */
export async function stopped(context: ScenarioContext): Promise<void> {
  const log = new DeliveryLog(context.db('delivery.ndjson'));
  context.atEnd(() => log.close());
  const server = await context.start();
  const load = startLoad({ port: server.port, log, senders: 2, batch: 10, prefix: 'stop' }, { next: 0 });
  for (let time = 0; time < 2; time += 1) {
    const before = load.acknowledged.length;
    await until(() => load.acknowledged.length >= before + 10, 'acknowledgements');
    server.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
    server.signal('SIGCONT');
  }
  const before = load.acknowledged.length;
  await until(() => load.acknowledged.length >= before + 10, 'acknowledgements after the stop');
  await load.stop();
  const client = context.client(server);
  assert.equal((await client.get('/readyz')).status, 200);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const check = checkLog(context.db('delivery.ndjson'), context.db());
  assert.ok(isSound(check), JSON.stringify(check));
}

const LIBRARY = 'faketime/libfaketimeMT.so.1';
/** Years that the clock moves forward, so that the stored time shows that the fault was real. */
const YEARS = 10;

export async function clockJumps(context: ScenarioContext): Promise<void> {
  const library = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)]
    .map((folder) => `${folder}/${LIBRARY}`)
    .find((path) => existsSync(path));
  if (library === undefined) context.skip('faketime is not installed');
  const clock = context.db('clock');
  writeFileSync(clock, '+0');
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  const server = await context.start({ env });
  const client = context.client(server);
  const stream = await context.stream(server);
  const ids: number[] = [];
  const years: number[] = [];
  for (const [step, offset] of ['+0', `+${YEARS}y`, '-1h', '-2y', '+0'].entries()) {
    writeFileSync(clock, offset);
    ids.push(...(await client.ingest([event({ event_id: `clock-${step}` })])).ids);
    const row = (await client.get(`/api/events/${ids.at(-1)}`)).json<{ created_at: string }>();
    years.push(new Date(row.created_at).getUTCFullYear());
    assert.equal((await client.get('/readyz')).status, 200);
    const again = await client.post('/api/events', event({ event_id: `clock-${step}` }));
    assert.equal(again.json<Ingested>().duplicates, 1);
    assert.equal((await client.get('/api/stats')).status, 200);
  }
  assert.deepEqual(ids, [1, 2, 3, 4, 5]);
  assert.ok(years[1]! - years[0]! >= YEARS - 1, `the clock moved: ${years.join()}`);
  assert.ok(years[3]! < years[0]!, `the clock moved back: ${years.join()}`);
  const page = (await client.get('/api/events?order=asc')).json<{ events: { id: number }[] }>();
  assert.deepEqual(
    page.events.map(({ id }) => id),
    ids,
  );
  await stream.close();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const next = context.client(await context.start());
  const reply = await next.post('/api/events', event({ event_id: 'clock-1' }));
  assert.equal(reply.status, 200);
  assert.deepEqual((await next.ingest([event()])).ids, [6]);
}
