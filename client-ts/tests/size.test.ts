/** Tests how many bytes a page loads for the whole client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** 6.25 KiB with gzip, which every server supports, and 5.8 kB with Brotli, which every browser supports. */
const CEILINGS = { gzip: 6.25 * 1024, brotli: 5800 };

test('the whole client is under 6.25 KiB by gzip and 5.8 kB by Brotli, minified', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  const { contents } = outputFiles[0]!;
  const gzip = gzipSync(contents, { level: 9 }).length;
  const brotli = brotliCompressSync(contents).length;
  assert.ok(gzip < CEILINGS.gzip && brotli < CEILINGS.brotli, `gzip ${gzip}, Brotli ${brotli} bytes`);
});
