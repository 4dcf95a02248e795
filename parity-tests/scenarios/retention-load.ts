/**
 * Tests a bound in bytes under steady load with kills: the file stays near the bound, and only the oldest events go.
 *
 * `--soak-seconds N` sets its length. The soak of half an hour is
 * `pnpm parity --only scenarios/retention-load --soak-seconds 1800`.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readSealedTexts } from '@twin-ingest/testkit/files/sealed-texts.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import Database from 'better-sqlite3';
import { runCommand } from '../src/command-line.ts';
import { isGone } from '../src/load.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const RETENTION_LOAD: ScenarioFile = {
  name: 'retention-load',
  about: 'a bound in bytes under steady load, with kills',
  scenarios: [
    {
      name: 'the file stays near the bound and every newer event stays',
      rules: ['RET-01', 'RET-02', 'RET-05', 'STO-03', 'BAK-06'],
      uses: 'each',
      waits: true,
      faults: ['F1'],
      run: soak,
    },
  ],
};

const RATE = 5_000;
const BATCH = 50;
const TEXT = 'x'.repeat(250);
const KILLS = 5;
const LARGEST_BOUND = 200_000_000;
/** Of a short run's bound: a tenth of what a row takes, so that nine of ten events go. */
const BYTES_PER_EVENT = 45;
const SHARE = 1.3;

/** An acknowledged batch: its first id, and the number of its first event. */
type Batch = readonly [id: number, number: number];

async function soak(context: ScenarioContext): Promise<void> {
  const { soakSeconds, seed } = context.options;
  const bound = Math.min(LARGEST_BOUND, soakSeconds * RATE * BYTES_PER_EVENT);
  const random = seededRandom(seed);
  const flags = ['--retain-bytes', String(bound)];
  const load = new Load(context.db());
  for (let kill = 0; kill <= KILLS; kill++) {
    const server = await context.start({ flags });
    const client = context.client(server);
    const sending = load.send(client);
    // Between half and one and a half of the mean, so that a kill meets any part of the work.
    await pause((soakSeconds * 1000 * (0.5 + random.below(1000) / 1000)) / (KILLS + 1));
    if (kill < KILLS) {
      await server.kill();
      await sending;
      continue;
    }
    load.stop();
    await sending;
    await until(async () => (await usedBytes(client)) <= bound, 'used bytes below the bound');
    await server.stop();
  }
  const { checked, missing } = compare(context.db(), load.acknowledged);
  assert.deepEqual(missing, [], 'acknowledged events that are newer than the oldest one');
  assert.ok(checked > 0);
  assert.ok(load.largest <= bound * SHARE, `the file took ${load.largest} bytes, ${bound} are the bound`);
  const verified = await runCommand(context.target, ['verify', context.db()], { cwd: context.folder });
  assert.equal(verified.exit, 0, verified.stdout);
  const share = (load.largest / bound).toFixed(2);
  context.note(
    `${load.acknowledged.length * BATCH} events, ${KILLS} kills, ${checked} of them still there, file at most ${share} times the bound`,
  );
}

/** Sends batches at a steady rate until it is stopped or the server is gone. */
class Load {
  readonly acknowledged: Batch[] = [];
  /** Largest size of the database file so far. */
  largest = 0;
  private readonly path: string;
  private sent = 0;
  private isStopped = false;

  constructor(path: string) {
    this.path = path;
  }

  stop(): void {
    this.isStopped = true;
  }

  async send(client: ApiClient): Promise<void> {
    const startMs = performance.now();
    for (let batch = 0; !this.isStopped; batch++) {
      const waitMs = startMs + (batch * BATCH * 1000) / RATE - performance.now();
      if (waitMs > 1) await pause(waitMs);
      const first = this.sent;
      this.sent += BATCH;
      const events = Array.from({ length: BATCH }, (_, at) =>
        event({ session_id: `s${Math.floor(first / 5_000)}`, metadata: { n: first + at, text: TEXT } }),
      );
      try {
        const { ids } = await client.ingest(events);
        assert.equal(ids.at(-1)! - ids[0]!, BATCH - 1, 'the ids of a request follow each other');
        this.acknowledged.push([ids[0]!, first]);
      } catch (error) {
        if (isGone(error)) return;
        throw error;
      }
      if (batch % 20 === 0) this.largest = Math.max(this.largest, statSync(this.path).size);
    }
  }
}

async function usedBytes(client: ApiClient): Promise<number> {
  return (await client.get('/api/retention')).json<{ used_bytes: number }>().used_bytes;
}

/** Compares the content of every acknowledged event that is newer than the oldest stored one. */
function compare(path: string, acknowledged: readonly Batch[]): { checked: number; missing: number[] } {
  const db = new Database(path, { readonly: true });
  readSealedTexts(db);
  const rows = db.prepare<[], [number, number]>("SELECT id, metadata ->> 'n' FROM events_readable").raw();
  const numbers = new Map<number, number>(rows.iterate() as Iterable<[number, number]>);
  const oldest = Number(db.prepare('SELECT min(id) FROM events').pluck().get());
  db.close();
  const missing: number[] = [];
  let checked = 0;
  for (const [id, number] of acknowledged) {
    for (let at = 0; at < BATCH; at++) {
      if (id + at < oldest) continue;
      checked++;
      if (numbers.get(id + at) !== number + at) missing.push(id + at);
    }
  }
  return { checked, missing };
}
