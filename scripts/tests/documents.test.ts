/** Tests the documents: links, and names and numbers that are data elsewhere. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brokenLinks, falseClaims } from '../documents/claims.ts';
import { readDocumentFacts } from '../documents/facts.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const FACTS = await readDocumentFacts(ROOT);
const { markdown } = JSON.parse(read('scripts/english.json')) as { markdown: { generated: string[] } };
const DOCUMENTS = spawnSync('git', ['ls-files', '-z', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .stdout.split('\0')
  .filter((path) => path !== '');
/** A generated page, a decision and an entry of the changelog say what was true on their day. */
const CURRENT = DOCUMENTS.filter(
  (path) =>
    !markdown.generated.includes(path) &&
    !/^docs\/decisions\/\d|^(CHANGELOG|docs\/prior-benchmarks)\.md$/.test(path),
);

test('links of documents lead to files and headings that exist', () => {
  assert.ok(DOCUMENTS.length > 100);
  assert.deepEqual(
    DOCUMENTS.flatMap((path) => brokenLinks(path, read(path), ROOT)),
    [],
  );
});

test('documents contradict no data', () => {
  assert.ok(CURRENT.length > 25);
  assert.deepEqual(
    CURRENT.flatMap((path) => falseClaims(path, read(path), FACTS)),
    [],
  );
});

/** A flag of another program, and placeholders. */
const FOREIGN = ['--locked', '--flag', '--name'];

test('a flag in a sentence is that of a program', () => {
  const named = CURRENT.flatMap((path) =>
    [...read(path).matchAll(/`(--[a-z][\w-]*)/g)].map(([, flag]) => ({ path, flag: flag! })),
  );
  assert.ok(named.length > 100);
  // A program spells its flag in a text or as a key of its table. `commands.test.ts` asks the help of each program.
  const pattern = "--[a-z][a-z0-9-]+|^ +'?[a-z][a-z0-9-]+'?: \\{";
  const files = ['*/src/*.ts', 'server-ts/*.ts', 'scripts/*.ts', ':!scripts/tests'];
  const { stdout } = spawnSync('git', ['grep', '-hoE', '-e', pattern, '--', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const known = new Set([
    ...FOREIGN,
    ...FACTS.options.map(({ name }) => `--${name}`),
    ...stdout.split('\n').map((text) => `--${text.replace(/^--|[^a-z0-9-]/g, '')}`),
  ]);
  assert.deepEqual(
    named.filter(({ flag }) => !known.has(flag)),
    [],
  );
});

test('every kind of false claim is found', () => {
  const claims: readonly (readonly [text: string, truth: RegExp])[] = [
    ['`contract/nothing.json` has it', /is no file/],
    ['`ingest-server --redact contract/redact/secrets.json`', /no package has/],
    ['or INGEST_NOTHING', /no variable/],
    ['`GET /api/nothing`', /no route/],
    ['`ingest_nothing_total{code}`', /no metric/],
    ['rule HEA-99', /the last rule/],
    ['rules SEC-01 to SEC-02', /the last rule/],
    ['exit code 99', /no program exits/],
    ['Claude Code 1.0.0', /the tests have/],
    ['| Codex | 0.1.0 |', /the tests have/],
    ['Node 16 or newer', /the data has/],
    ['Node 20, 22 and 23', /the data has/],
    ['`npx --yes pnpm@1.2.3 test`', /package.json has/],
    ['`ajv` 8.0.0', /the manifests have/],
    ['{"version":"9.9.9","contract":"1.0.0"}', /it is/],
    ['`--max-metadata-bytes` (10,241)', /the default is 10240/],
    ['`--max-attachment-bytes` (33 MiB)', /the default is/],
    ['waits at most 6 s (`reader_wait_ms`)', /reader_wait_ms is 5000/],
    ['at most 201 items (`redaction_entries`)', /redaction_entries is 200/],
  ];
  for (const [claim, truth] of claims) {
    const found = falseClaims('docs/made-up.md', claim, FACTS);
    assert.equal(found.length, 1, claim);
    assert.match(found[0]!, truth);
  }
  assert.deepEqual(
    falseClaims('docs/made-up.md', '`--max-attachment-bytes` (32 MiB), Node 20, 22 and 24', FACTS),
    [],
  );
  assert.equal(brokenLinks('docs/made-up.md', '[a](nothing.md) [b](operations.md#nothing)', ROOT).length, 2);
});
