/** Tests that a command releases everything at its end, and that an interruption ends its waits. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { Interrupted } from '../src/process/failure.ts';
import { Lifetime } from '../src/process/lifetime.ts';

test('the end releases everything once, the newest first, also after a release that fails', async () => {
  const lifetime = new Lifetime();
  const released: string[] = [];
  const hold = (name: string) =>
    lifetime.add(async () => {
      released.push(name);
      if (name === 'third') throw new Error('no');
    });
  hold('first');
  const early = hold('second');
  hold('third');
  await early();
  await lifetime.end();
  await lifetime.end();
  assert.deepEqual(released, ['second', 'third', 'first']);
});

test('a temporary folder is gone after the end', async () => {
  const lifetime = new Lifetime();
  const { path } = await lifetime.temporaryFolder();
  assert.ok(existsSync(path));
  await lifetime.end();
  assert.equal(existsSync(path), false);
});

test('an interruption rejects current and later waits', async () => {
  const lifetime = new Lifetime();
  const waiting = lifetime.orInterrupted(new Promise(() => {}));
  lifetime.interrupt();
  await assert.rejects(waiting, Interrupted);
  await assert.rejects(lifetime.orInterrupted(Promise.resolve(1)), Interrupted);
});

test('a promise that fails after an interruption does not end the process', async () => {
  const lifetime = new Lifetime();
  lifetime.interrupt();
  const { promise, reject } = Promise.withResolvers<never>();
  await assert.rejects(lifetime.orInterrupted(promise), Interrupted);
  reject(new Error('late'));
  // An unhandled rejection would fail the test now.
  await new Promise(setImmediate);
});
