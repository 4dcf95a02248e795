/**
 * Opens the files after each single write of a recording, as `kill -9` between two writes leaves them (fault F2).
 * Every acknowledged group is there, the file is sound, and a server continues it.
 */
import assert from 'node:assert/strict';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { GrowingImage, writeImage } from '../../src/power-loss/image.ts';
import { recordRun, removeImage, requestsIn, startOn } from '../../src/power-loss/recorded-run.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { requireStrace } from '../../src/strace.ts';

/** Sizes that a group takes, most of them small as those of a user. */
const SIZES = [1, 1, 1, 5, 20];
const TEXT_BYTES = 500;
/** A server starts after each write of this number; SQLite alone opens the other images. */
const SERVER_EVERY = 200;

export async function killAfterEachWrite(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const { groups, seed } = context.options;
  const random = seededRandom(seed);
  const requests = { sizes: Array.from({ length: groups }, () => random.pick(SIZES)), textBytes: TEXT_BYTES };
  const { base, operations } = await recordRun(context, 'recorded', requests, []);
  const image = new GrowingImage(base);
  const db = context.db('image.db');
  let writes = 0;
  let promised = 0;
  for (const [at, operation] of operations.entries()) {
    if (operation.kind === 'acknowledge') promised += 1;
    if (operation.kind === 'acknowledge' || operation.kind === 'sync') continue;
    image.apply(operation);
    const what = `operation ${at + 1} of ${operations.length}, ${operation.kind} ${operation.file}`;
    writeImage(image.files(), db);
    const stored = requestsIn(db, requests, what);
    assert.ok(stored >= promised, `${what}: ${stored} groups are there, ${promised} were acknowledged`);
    if (writes % SERVER_EVERY === 0) await startOn(context, db, requests, stored, what);
    removeImage(db);
    writes += 1;
  }
  assert.ok(writes > groups, `${writes} writes are too few for ${groups} groups`);
  context.count('groups', groups);
  context.count('writes', writes);
  context.note(`${writes} writes of ${groups} groups, ${context.counts.starts} of them with a server`);
}
