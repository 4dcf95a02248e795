/** Tests the writer's wait for a checkpoint that is slower than the writer (rule STO-04). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { TUNING } from '../src/contract.ts';
import { Checkpointer } from '../src/store/checkpoint.ts';
import { openWriter } from '../src/store/connection.ts';

/** A thread whose pass ends after this time. */
const PASS = `
const { workerData: busy } = require('node:worker_threads');
Atomics.wait(busy, 0, 1, 200);
Atomics.store(busy, 0, 0);
Atomics.notify(busy, 0);
`;

/** Its state, which a load would need minutes to reach. */
interface Inner {
  readonly data: { readonly busy: Int32Array };
  used: number;
  restartAfterMs: number;
}

test('a writer that is faster than the checkpointer waits for its pass, and refuses no group', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'events.db');
  writeFileSync(path, '');
  const options = { path, durability: 'process', nativeBinding: undefined } as const;
  const db = openWriter(options);
  context.after(() => db.close());
  db.exec('CREATE TABLE one (id)');
  const failures: string[] = [];
  const events = { onCheckpoint: () => {}, onFailure: (code: string) => failures.push(code) };
  const checkpointer = new Checkpointer(db, options, new URL('file:///none'), events);
  const inner = checkpointer as unknown as Inner;
  const { busy } = inner.data;

  // A restart has just failed, because the pass held the log.
  inner.used = TUNING.checkpoint_most_wal_bytes;
  inner.restartAfterMs = performance.now() + 60_000;
  assert.equal(checkpointer.admitsGroup(), false, 'without a pass, readers hold the log');
  assert.deepEqual(failures, ['storage_busy']);

  Atomics.store(busy, 0, 1);
  const thread = new Worker(PASS, { eval: true, workerData: busy });
  context.after(() => thread.terminate());
  assert.equal(checkpointer.admitsGroup(), true);
  assert.equal(Atomics.load(busy, 0), 0, 'the pass has ended');
  assert.equal(failures.length, 1);
});
