/** Tests the README and the documents for users: short, with valid links and existing commands. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Returns the anchors of a document, named as by GitHub. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('ARCHITECTURE.md has at most 12,000 bytes', () => {
  assert.ok(Buffer.byteLength(read('ARCHITECTURE.md')) <= 12_000);
});

test('the README has at most 150 lines and 12,000 bytes', () => {
  const text = read('README.md');
  assert.ok(text.split('\n').length - 1 <= 150);
  assert.ok(Buffer.byteLength(text) <= 12_000);
});

test('files and folders that CONTRIBUTING.md names exist', () => {
  const [, ...named] = read('CONTRIBUTING.md').split(/`([a-z][\w-]*(?:\/[\w.-]+)+)`/);
  const paths = named.filter((_, index) => index % 2 === 0);
  assert.ok(paths.length > 20);
  for (const path of paths) assert.ok(path === 'http/reply' || existsSync(join(ROOT, path)), path);
});

for (const path of [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'README.md',
  'docs/choosing-a-format.md',
  'docs/decisions/README.md',
  'docs/embedding.md',
  'docs/operations.md',
]) {
  test(`links of ${path} lead to files and headings that exist`, () => {
    const text = read(path);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, link, source]) => link ?? source!,
    );
    assert.ok(links.length > 0);
    for (const link of links.filter((one) => !one.startsWith('http'))) {
      const [file, anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file!);
      assert.ok(existsSync(join(ROOT, target)), link);
      if (anchor !== undefined) assert.ok(anchorsOf(read(target)).includes(anchor), link);
    }
  });

  test(`commands of ${path} are in package.json`, () => {
    const names = [...read(path).matchAll(/\bpnpm(?:@[\d.]+)? ([a-z][\w:]*)/g)].map(([, name]) => name!);
    assert.ok(names.length > 0);
    for (const name of names) assert.ok(name in scripts, name);
  });
}
