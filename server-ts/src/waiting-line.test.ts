import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { TUNING } from './contract.ts';
import { WaitingLine } from './waiting-line.ts';

const WAIT_MS = 60_000;

/** Joins the line as a request that notes its name once it has the place. */
async function join(line: WaitingLine, served: string[], name: string): Promise<void> {
  assert.ok(await line.take(performance.now(), WAIT_MS));
  served.push(name);
  line.give();
}

test('a short line is served in the order of arrival', async () => {
  const line = new WaitingLine();
  assert.ok(await line.take(performance.now(), WAIT_MS));
  const served: string[] = [];
  const joined = [join(line, served, 'oldest'), join(line, served, 'newest')];
  line.give();
  await Promise.all(joined);
  assert.deepEqual(served, ['oldest', 'newest']);
});

test('a long wait turns the order around', async () => {
  const line = new WaitingLine();
  assert.ok(await line.take(performance.now(), WAIT_MS));
  const served: string[] = [];
  const oldest = join(line, served, 'oldest');
  await pause(TUNING.admission_order_ms + 20);
  const newer = [join(line, served, 'newer'), join(line, served, 'newest')];
  line.give();
  await Promise.all([oldest, ...newer]);
  assert.deepEqual(served, ['newest', 'newer', 'oldest']);
});

test('a request whose time is over is passed over', async () => {
  const line = new WaitingLine();
  assert.ok(await line.take(performance.now(), WAIT_MS));
  const served: string[] = [];
  const gone = line.take(performance.now(), 1);
  const stays = join(line, served, 'stays');
  assert.equal(await gone, false);
  assert.deepEqual(served, []);
  line.give();
  await stays;
  assert.ok(await line.take(performance.now(), 0), 'the place is free again');
  assert.deepEqual(served, ['stays']);
});
