/** Tests the size of the README and of the map. `documents.test.ts` tests what they say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('ARCHITECTURE.md has at most 12,000 bytes', () => {
  assert.ok(Buffer.byteLength(read('ARCHITECTURE.md')) <= 12_000);
});

test('the README has at most 120 lines and 12,000 bytes', () => {
  const text = read('README.md');
  assert.ok(text.split('\n').length - 1 <= 120);
  assert.ok(Buffer.byteLength(text) <= 12_000);
});
