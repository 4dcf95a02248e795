/**
 * Opens the files that a power cut may leave at any moment of a recording (fault F3). With `power` every acknowledged
 * event is there. With `process` the newest may be lost, and the others are whole.
 * After `kill -9` every acknowledged event is there with both (fault F2).
 */
import assert from 'node:assert/strict';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import { imageAt, type Survival, writeImage } from '../../src/power-loss/image.ts';
import {
  type RecordedRun,
  recordRun,
  removeImage,
  requestsIn,
  startOn,
} from '../../src/power-loss/recorded-run.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { requireStrace } from '../../src/strace.ts';

type Durability = 'process' | 'power';

/** Sizes of the requests. Those of 150 events bring the log above 8 MiB, so that it begins anew. */
const SIZES = [
  1, 1, 5, 150, 1, 150, 150, 20, 150, 150, 1, 150, 150, 150, 150, 3, 150, 1, 150, 1, 150, 1, 150, 1, 1,
];
const TEXT_BYTES = 6_000;
/** A server starts on each image of this number; SQLite alone opens the others. */
const SERVER_EVERY = 20;
const SURVIVALS: readonly Survival[] = ['random', 'random', 'none', 'all'];

export async function losePower(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  for (const durability of ['power', 'process'] as const) {
    const recorded = await record(context, durability);
    const random = seededRandom(context.options.seed);
    for (let number = 0; number < context.options.images; number += 1)
      await openImage(context, durability, recorded, random, number);
  }
  context.note(`${context.counts.images} images, ${context.counts.starts} of them with a server`);
}

/** Most recordings until one has a log that begins anew: on a busy machine a checkpoint may end too late for that. */
const RECORDINGS = 10;

async function record(context: ScenarioContext, durability: Durability): Promise<RecordedRun> {
  const requests = { sizes: SIZES, textBytes: TEXT_BYTES };
  for (let number = 1; number <= RECORDINGS; number++) {
    const name = `${durability}-${number}`;
    const recorded = await recordRun(context, name, requests, ['--durability', durability]);
    const beginnings = recorded.operations.filter(
      (one) => one.kind === 'write' && one.file === '-wal' && one.offset === 0,
    );
    if (beginnings.length >= 2) return recorded;
  }
  return assert.fail('the log never began anew');
}

async function openImage(
  context: ScenarioContext,
  durability: Durability,
  { requests, base, operations, acknowledged }: RecordedRun,
  random: Random,
  number: number,
): Promise<void> {
  const position = 1 + random.below(operations.length);
  const survival = random.pick(SURVIVALS);
  const what = `${durability}, ${survival}, operation ${position} of ${operations.length}, image ${number}`;
  const db = context.db(`image-${number}.db`);
  writeImage(imageAt(base, operations, position, survival, random), db);
  const stored = requestsIn(db, requests, what);
  const promised = acknowledged.filter((at) => at < position).length;
  if (durability === 'power' || survival === 'all')
    assert.ok(stored >= promised, `${what}: ${stored} requests are there, ${promised} were acknowledged`);
  context.count('images');
  if (number % SERVER_EVERY === 0) await startOn(context, db, requests, stored, what);
  removeImage(db);
}
