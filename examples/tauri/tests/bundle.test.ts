/** Tests the names and the rights of the bundle: externalBin, target triples, capabilities. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { hostTriple, nameSidecar, sidecarName } from '../name-sidecar.ts';

function json<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(`../src-tauri/${path}`, import.meta.url), 'utf8')) as T;
}

test('the sidecar has the name that externalBin needs, with the triple of each target', async () => {
  const { bundle } = json<{ bundle: { externalBin: string[] } }>('tauri.conf.json');
  assert.deepEqual(bundle.externalBin, ['binaries/ingest-server']);
  assert.equal(sidecarName('aarch64-apple-darwin'), 'ingest-server-aarch64-apple-darwin');
  assert.equal(sidecarName('x86_64-pc-windows-msvc'), 'ingest-server-x86_64-pc-windows-msvc.exe');
  await inTree({ server: 'the program' }, (root) => {
    const path = nameSidecar(`${root}/server`, hostTriple(), `${root}/binaries`);
    assert.equal(basename(path), `${basename(bundle.externalBin[0]!)}-${hostTriple()}`);
    assert.equal(readFileSync(path, 'utf8'), 'the program');
    assert.equal(statSync(path).mode & 0o777, 0o755);
  });
  assert.match(hostTriple(), /^\w+-\w+-\w+/);
});

test('the window has no rights in the app', () => {
  const { app } = json<{ app: { windows: unknown[]; security: { capabilities: string[] } } }>(
    'tauri.conf.json',
  );
  assert.deepEqual([app.windows, app.security.capabilities], [[], ['main']]);
  const main = json<Record<string, unknown>>('capabilities/main.json');
  assert.deepEqual([main.identifier, main.permissions, main.remote], ['main', [], undefined]);
});
