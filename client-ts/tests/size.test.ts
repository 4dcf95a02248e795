/** What a page has to load for the whole client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const MOST_BYTES = 6 * 1024;

test('the whole client is under 6 KiB, minified and compressed', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
});
