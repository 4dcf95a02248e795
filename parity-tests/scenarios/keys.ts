/**
 * Tests the memory of accepted ids: runs of keys and their merges (rules EVT-13, STO-03).
 *
 * A kill counts only when it hit the intended phase; the file shows that afterwards.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { checkKeys, type KeyCheck } from '../src/check-keys.ts';
import { checkLog, isSound } from '../src/check-log.ts';
import { checkSummaries } from '../src/check-summaries.ts';
import { DeliveryLog } from '../src/delivery-log.ts';
import { type Load, type RequestCounter, startLoad } from '../src/load.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { isCheckpointUnderWay } from '../src/wal-index.ts';

export const KEYS: ScenarioFile = {
  name: 'keys',
  about: 'the keys of accepted ids',
  scenarios: [
    {
      name: 'kill -9 during run writes and merges loses no accepted id',
      rules: ['STO-03', 'EVT-13'],
      uses: 'each',
      faults: ['F1'],
      run: killWhileMerging,
    },
    {
      name: 'kill -9 during a checkpoint loses no accepted id',
      rules: ['STO-03', 'STO-04', 'EVT-13'],
      uses: 'each',
      faults: ['F1'],
      run: killInCheckpoint,
    },
    {
      name: 'an id stays a duplicate after its row is deleted',
      rules: ['EVT-13', 'PRO-08'],
      uses: 'each',
      run: deletedRows,
    },
  ],
};

/** Events in one batch. The loads store enough for the first merge, which takes eight runs of 16,384 keys. */
const BATCH = 500;
const MERGE_DEADLINE_MS = 60_000;
const CHECKPOINT_KILLS = 60;
const RUN_KILLS = 60;
/** Number of events that fill more than two runs. */
const DELETED_EVENTS = 40_000;

async function killWhileMerging(context: ScenarioContext): Promise<void> {
  const loads = new Loads(context);
  const hits = { flushing: 0, merging: 0 };
  let kills = 0;
  // A phase that takes only a few groups may end before the kill, so some kills miss it.
  while (Math.min(hits.flushing, hits.merging) < 2 && kills < RUN_KILLS) {
    const what = hits.merging < hits.flushing ? 'merging' : 'flushing';
    // The file looks the same until the remains of an earlier kill are deleted.
    const before = newestRun(context.db());
    const server = await context.start();
    const load = loads.start(server.port);
    await until(
      () => newestRun(context.db(), what) > before || load.acknowledged.length > 2_000,
      what,
      MERGE_DEADLINE_MS,
    );
    await server.kill();
    await load.stop();
    if (newestRun(context.db(), what) > before) hits[what] += 1;
    kills += 1;
  }
  assert.deepEqual(hits, { flushing: 2, merging: 2 }, `${kills} kills`);
  const check = await loads.soundAfterwards();
  context.note(`${kills} kills, 2 in runs, 2 in merges, ${check.runs} runs with ${check.keys} keys`);
}

async function killInCheckpoint(context: ScenarioContext): Promise<void> {
  const loads = new Loads(context);
  let hits = 0;
  let kills = 0;
  // Checkpoints run only part of the time, so some kills miss them.
  while (hits < 2 && kills < CHECKPOINT_KILLS) {
    const server = await context.start();
    const load = loads.start(server.port);
    await until(() => load.acknowledged.length >= 5, 'five acknowledged batches');
    await until(
      () => isCheckpointUnderWay(`${context.db()}-shm`) || load.acknowledged.length > 400,
      'a checkpoint',
      MERGE_DEADLINE_MS,
    );
    await server.kill();
    await load.stop();
    if (isCheckpointUnderWay(`${context.db()}-shm`)) hits += 1;
    kills += 1;
  }
  assert.equal(hits, 2, `${kills} kills, of which ${hits} hit a checkpoint`);
  const check = await loads.soundAfterwards();
  context.note(`${kills} kills, ${hits} of them in checkpoints, ${check.keys + check.in_memory} ids`);
}

async function deletedRows(context: ScenarioContext): Promise<void> {
  const ids = Array.from({ length: DELETED_EVENTS }, (_, index) => `deleted-${index}`);
  const send = async (client: ApiClient, count: number): Promise<Ingested[]> => {
    const answers: Ingested[] = [];
    for (let at = 0; at < count; at += BATCH) {
      const events = ids.slice(at, Math.min(at + BATCH, count)).map((id) => event({ event_id: id }));
      answers.push((await client.post('/api/events/batch', { events })).json<Ingested>());
    }
    return answers;
  };
  // First a few rows, all in the tail. Then enough rows for runs, with most rows deleted on both sides of the mark.
  for (const [count, kept] of [
    [3, 0],
    [DELETED_EVENTS, 1_000],
  ] as const) {
    const first = await context.start();
    await send(context.client(first), count);
    await first.stop();
    const db = new Database(context.db());
    db.prepare('DELETE FROM events WHERE id <= ?').run(count - kept);
    db.close();
    // The other server must behave in the same way.
    for (const target of [context.target, context.other]) {
      const next = await context.start({ target });
      const client = context.client(next);
      const answers = await send(client, count);
      const duplicates = answers.reduce((sum, answer) => sum + answer.duplicates, 0);
      assert.equal(duplicates, count, `${target}: duplicates of ${count}`);
      assert.equal(answers.flatMap((answer) => answer.ids).length, 0);
      await next.stop();
    }
    const last = await context.start();
    const { ids: fresh } = await context.client(last).ingest([event({ event_id: `fresh-${count}` })]);
    assert.ok(fresh[0]! > count, 'an id is never given out again');
    await last.stop();
    assert.deepEqual(checkKeys(context.db()).problems, []);
  }
}

/** Runs loads on one file one after the other, and checks the file at the end. */
class Loads {
  private readonly context: ScenarioContext;
  private readonly logFile: string;
  private readonly log: DeliveryLog;
  private readonly counter: RequestCounter = { next: 0 };
  private last: Load | undefined;

  constructor(context: ScenarioContext) {
    this.context = context;
    this.logFile = context.db('delivery.ndjson');
    this.log = new DeliveryLog(this.logFile);
    context.atEnd(() => this.log.close());
  }

  start(port: number): Load {
    this.last = startLoad({ port, log: this.log, senders: 4, batch: BATCH, prefix: 'keys' }, this.counter);
    return this.last;
  }

  /** Checks that a new server accepts no event again, and that the file then has every id once. */
  async soundAfterwards(): Promise<KeyCheck> {
    const { context } = this;
    const server = await context.start();
    const client = context.client(server);
    for (const eventIds of this.last?.acknowledged.slice(-20) ?? []) {
      const reply = await client.post('/api/events/batch', {
        events: eventIds.map((id) => event({ event_id: id })),
      });
      assert.equal(reply.json<Ingested>().duplicates, eventIds.length);
    }
    await server.stop();
    const log = checkLog(this.logFile, context.db());
    assert.ok(isSound(log), JSON.stringify(log, null, 2).slice(0, 2_000));
    const keys = checkKeys(context.db());
    assert.deepEqual(keys.problems, []);
    assert.deepEqual(checkSummaries(context.db()).problems, []);
    return keys;
  }
}

/** Returns the id of the newest run, or of the newest one in progress; 0 when there is none. */
function newestRun(dbFile: string, what?: 'flushing' | 'merging'): number {
  if (!existsSync(dbFile)) return 0;
  const db = new Database(dbFile, { readonly: true, fileMustExist: true });
  const which = { flushing: "state = 'growing' AND level = 0", merging: "state = 'growing' AND level > 0" };
  try {
    const where = what === undefined ? 'true' : which[what];
    return Number(db.prepare(`SELECT max(id) FROM event_key_runs WHERE ${where}`).pluck().get() ?? 0);
  } finally {
    db.close();
  }
}
