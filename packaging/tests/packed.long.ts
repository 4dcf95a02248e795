/** Tests the Rust server as `pnpm pack:all` builds it for users. `pnpm packages:long` runs it after packing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkServer } from '../src/check-server.ts';
import { compareVersions, neededGlibc } from '../src/glibc.ts';
import { common } from '../src/npm-packages.ts';
import { GLIBC, platformNamed } from '../src/platforms.ts';
import { unpacked } from './unpacked.ts';

const { version } = common();
const OWN = platformNamed(`${process.platform}-${process.arch}`);

test('the packed Rust server is executable and needs no newer glibc than promised', async () => {
  await unpacked(`twin-ingest-server-${OWN.name}-${version}.tgz`, async (folder) => {
    const program = join(folder, 'package/ingest-server');
    assert.ok(compareVersions(await neededGlibc(program), GLIBC) <= 0);
    assert.equal(await checkServer(program, OWN, version), true);
  });
});
