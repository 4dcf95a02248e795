/** Stops the process and moves its clock (faults F14, F19). */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import CONFIG from '../../../contract/config.json' with { type: 'json' };
import { checkLog, isSound } from '../../src/check-log.ts';
import { runCommand } from '../../src/command-line.ts';
import { DeliveryLog } from '../../src/delivery-log.ts';
import { fakeClock } from '../../src/fake-clock.ts';
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

/** Years that the clock moves forward, so that the stored time shows that the fault was real. */
const YEARS = 10;

/** Clocks outside of the years of rule PRO-22. */
const WRONG = ['1999-12-31 23:59:59', '1980-01-01 00:00:00', '1970-01-02 00:00:00'];
/** Clocks that Linux does not accept while it runs. */
const IMPOSSIBLE = ['1969-01-01 00:00:00', '+8000y'];
const RIGHT = ['2000-01-02 00:00:00', '2031-05-06 07:08:09'];

export async function clockOutside(context: ScenarioContext): Promise<void> {
  const { clock, env } = fakeClock(context);
  const { code, wrong } = CONFIG.exits.clock;
  const args = ['--port', '0', '--db', context.db('none.db')];
  for (const time of [...WRONG, ...IMPOSSIBLE]) {
    writeFileSync(clock, time);
    const ran = await runCommand(context.target, args, { cwd: context.folder, env, killAfterMs: 10_000 });
    assert.deepEqual([ran.exit, ran.stdout, ran.stderr], [code, '', `${wrong}\n`], time);
    assert.equal(existsSync(context.db('none.db')), false);
  }
  for (const time of RIGHT) {
    writeFileSync(clock, time);
    const server = await context.start({ env, db: context.db(`${time.slice(0, 4)}.db`) });
    assert.equal((await context.client(server).get('/livez')).status, 200);
    await server.stop();
  }
  writeFileSync(clock, '+0');
  const server = await context.start({ env, flags: ['--heartbeat-ms', '100'] });
  const client = context.client(server);
  const rowOf = async (id: number) =>
    (await client.get(`/api/events/${id}`)).json<{ created_at: string }>().created_at;
  const [first] = (await client.ingest([event()])).ids;
  const start = await rowOf(first!);
  for (const time of WRONG) {
    writeFileSync(clock, time);
    const [id] = (await client.ingest([event()])).ids;
    const at = await rowOf(id!);
    const passedMs = Date.parse(at) - Date.parse(start);
    assert.ok(passedMs >= 0 && passedMs < 60_000, `${time}: ${at} after ${start}`);
    // Several at once reach threads that have sent nothing yet.
    const replies = await Promise.all(
      Array.from({ length: 32 }, () => context.client(server).get('/api/stats')),
    );
    for (const { status, headers } of replies) {
      assert.equal(status, 200);
      const date = headers.find(([name]) => name === 'date')![1];
      assert.ok(Math.abs(Date.parse(date) - Date.parse(start)) < 60_000, `${time}: ${date}`);
    }
    assert.equal((await client.get('/readyz')).status, 200);
  }
  writeFileSync(clock, '+1d');
  const [last] = (await client.ingest([event()])).ids;
  assert.ok(
    Date.parse(await rowOf(last!)) - Date.parse(start) > 23 * 3_600_000,
    'a right clock counts again',
  );
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
}

export async function clockJumps(context: ScenarioContext): Promise<void> {
  const { clock, env } = fakeClock(context);
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
