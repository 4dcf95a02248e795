/** A temporary folder and a lifetime for the tests of one file. Both end after the tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';

export const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-test-'));
export const lifetime = new Lifetime();

after(async () => {
  await lifetime.end();
  rmSync(folder, { recursive: true, force: true });
});
