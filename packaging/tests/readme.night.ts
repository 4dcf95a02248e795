/**
 * Runs all commands of README.md in a fresh clone that builds everything. `pnpm readme:long` runs it after
 * `pnpm packages:long`, which packs; it takes half an hour.
 */
import { after, before, test } from 'node:test';
import { DOCUMENTS, runDocuments } from './readme/run.ts';
import { type Installation, startInstallation } from './registry/installation.ts';

let installation: Installation;
before(async () => {
  installation = await startInstallation();
});
after(async () => await installation?.remove());

test('all commands of the README run in a fresh clone, block by block, and leave it clean', async (t) => {
  await runDocuments(DOCUMENTS, installation, { isNight: true, say: (line) => t.diagnostic(line) });
});
