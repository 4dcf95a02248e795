/** Tests the size of a packaged server, which has parts in other folders. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { deployedSize } from '../src/observe/size.ts';

test('the deployed size contains parts outside of the folder of the server', async () => {
  const files = { 'server/main.js': '12345', 'other/sqlite.node': '123', 'bin/node': '1' };
  await inTree(files, async (root) => {
    const artefact = `${root}/server/main.js`;
    const target = { ...TARGETS.ts, artefact, command: `${root}/bin/node` };
    const parts = [`${root}/other/sqlite.node`];
    assert.deepEqual(await deployedSize(target), { own_bytes: 5, with_runtime_bytes: 6 });
    assert.deepEqual(await deployedSize({ ...target, parts }), { own_bytes: 8, with_runtime_bytes: 9 });
  });
});
