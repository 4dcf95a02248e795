/** Faults under load: SIGTERM, descriptors taken away, a busy processor, cut requests (faults F18, F20, F22, F23). */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { checkLog, isSound } from '../../src/check-log.ts';
import { DeliveryLog } from '../../src/delivery-log.ts';
import { type RequestCounter, startLoad } from '../../src/load.ts';
import { MixedWork, requireSoundFile } from '../../src/mixed-work.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

const EXIT_MS = 5_000;

/** The number of SIGTERMs is `--kills`. */
export async function terminate(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const logFile = context.db('delivery.ndjson');
  const log = new DeliveryLog(logFile);
  context.atEnd(() => log.close());
  const counter: RequestCounter = { next: 0 };
  let slowestMs = 0;
  for (let round = 0; round < context.options.kills; round += 1) {
    const server = await context.start();
    const work = new MixedWork(`term-${round}`);
    const mixed = work.send(server.port, 50);
    const load = startLoad({ port: server.port, log, senders: 3, batch: 20, prefix: 'load' }, counter);
    await until(() => load.acknowledged.length >= 3, 'acknowledged batches');
    await new Promise((resolve) => setTimeout(resolve, random.below(200)));
    const begun = performance.now();
    assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr());
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    await Promise.all([load.stop(), mixed]);
    assert.equal(work.isAnswerCut, false, 'every answer that begins is whole');
    assert.ok(!existsSync(`${context.db()}-wal`), 'a clean stop leaves no log');
    context.count('sigterms');
    const next = await context.start();
    await work.requireAll(next.port);
    await next.stop();
  }
  assert.ok(slowestMs < EXIT_MS, `an exit took ${slowestMs} ms`);
  requireLogged(logFile, context.db());
  context.note(`${context.counts.sigterms} SIGTERMs, slowest exit ${slowestMs.toFixed(0)} ms`);
}

/** Events of other work are in the file too, so those are no fault here. */
function requireLogged(logFile: string, db: string): void {
  const check = { ...checkLog(logFile, db), foreign: [] };
  assert.ok(isSound(check), JSON.stringify(check));
  requireSoundFile(db);
}

/** The limit falls below what the server has open. It refuses connections, stores on the open ones, and recovers. */
export async function takeDescriptors(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event()]);
  limitDescriptors(context, server.pid, 8);
  const refused: ApiClient[] = Array.from({ length: 20 }, () => new ApiClient(server.port));
  const waiting = refused.map((one) => one.get('/livez').catch(() => undefined));
  for (let request = 0; request < 20; request += 1) await client.ingest([event()]);
  limitDescriptors(context, server.pid, 1_024);
  await Promise.all(waiting);
  for (const one of refused) one.close();
  const after = context.client(server);
  await until(
    async () => (await after.get('/livez').catch(() => undefined))?.status === 200,
    'new connections',
  );
  assert.deepEqual((await client.ingest([event()])).ids, [22]);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
}

/** Sets the soft limit, which may rise again. */
function limitDescriptors(context: ScenarioContext, pid: number, limit: number): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`], {
    encoding: 'utf8',
  });
  if (status !== 0) context.skip(`prlimit does not run: ${stderr}`);
}

const HOGS = 3;
const PROBES = 20;

/** The server shares one processor with programs that never wait. */
export async function busyProcessor(context: ScenarioContext): Promise<void> {
  const pinned = ['taskset', '-c', '0'];
  const server = await context.start({ wrapper: pinned });
  const hogs = Array.from({ length: HOGS }, () =>
    spawn(pinned[0]!, [...pinned.slice(1), process.execPath, '-e', 'for(;;);'], { stdio: 'ignore' }),
  );
  context.atEnd(() => {
    for (const hog of hogs) hog.kill('SIGKILL');
  });
  const work = new MixedWork('busy');
  const sending = work.send(server.port, 2);
  const client = context.client(server);
  const times: number[] = [];
  for (let probe = 0; probe < PROBES; probe += 1) {
    const begun = performance.now();
    assert.equal((await client.get('/livez')).status, 200);
    times.push(performance.now() - begun);
  }
  assert.ok(await sending);
  for (const hog of hogs) hog.kill('SIGKILL');
  const median = times.sort((one, other) => one - other)[PROBES / 2]!;
  assert.ok(median < 1_000, `half of the probes took ${median} ms or more`);
  assert.deepEqual(work.refusals, []);
  await work.requireAll(server.port);
  context.note(`median probe ${median.toFixed(0)} ms, slowest ${times.at(-1)!.toFixed(0)} ms`);
}

const STORM = 60;

/** Each batch is sent three times at once. Some connections end before the answer, and one sender goes on to the end. */
export async function retryStorm(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const server = await context.start();
  const client = context.client(server);
  let fresh = 0;
  for (let batch = 0; batch < STORM; batch += 1) {
    const events = Array.from({ length: 10 }, (_, at) => event({ event_id: `${batch}-${at}` }));
    const cut = Array.from({ length: 2 }, () => new ApiClient(server.port));
    const sent = cut.map((one) => one.post('/api/events/batch', { events }).catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, random.below(4)));
    for (const one of cut) if (random.chance(0.7)) one.abort();
    const last = await client.post('/api/events/batch', { events });
    const answers = [...(await Promise.all(sent)), last].flatMap((reply) => (reply ? [reply] : []));
    for (const reply of answers) assert.ok([200, 201].includes(reply.status), reply.text);
    const counts = answers.map((reply) => reply.json<Ingested>().received);
    fresh += counts.reduce((sum, count) => sum + count, 0);
    for (const one of cut) one.close();
  }
  assert.ok(fresh <= STORM * 10, 'no event is received twice');
  const stats = (await client.get('/api/stats')).json<{ total_events: number }>();
  assert.equal(stats.total_events, STORM * 10);
  await server.stop();
  requireSoundFile(context.db());
}
