/** Tests which programs are built before they start. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Lifetime } from '../src/process/lifetime.ts';
import { buildStale, freshnessOf } from '../src/servers/build.ts';
import { TARGETS } from '../src/servers/targets.ts';

test('an artefact is stale when a source below it is newer; tests and generated folders do not count', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-stale-'));
  try {
    const file = (name: string, seconds: number) => {
      const path = join(folder, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, name);
      utimesSync(path, seconds, seconds);
      return path;
    };
    const artefact = file('out/server', 1000);
    const target = { ...TARGETS.rs, artefact, sources: [join(folder, 'source'), join(folder, 'absent')] };
    file('source/main.rs', 900);
    file('source/tests/main.rs', 2000);
    file('source/node_modules/x.js', 2000);
    assert.equal(await freshnessOf(target), 'fresh');
    file('source/deep/er.rs', 1001);
    assert.equal(await freshnessOf(target), 'stale');
    assert.equal(await freshnessOf({ ...target, artefact: join(folder, 'nothing') }), 'missing');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('buildStale builds a fresh program again only when another build may have left it', async () => {
  const lifetime = new Lifetime();
  const fresh = { ...TARGETS.rs, artefact: fileURLToPath(import.meta.url), sources: [], build: 'none-such' };
  const stale = (hasOtherBuilds: boolean, build: boolean) =>
    buildStale([{ name: 'rs', program: { ...fresh, hasOtherBuilds } }], { lifetime, build, say: () => {} });
  assert.deepEqual(await stale(false, true), []);
  assert.deepEqual(await stale(true, false), []);
  await assert.rejects(stale(true, true), /has no script none-such/);
});
