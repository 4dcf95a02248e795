/** Tests the documents: links, and names and numbers that are data elsewhere. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brokenLinks, falseClaims } from '../documents/claims.ts';
import { commandLines } from '../documents/command-lines.ts';
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

const SERVER_FLAGS = ['--help', '--version', ...FACTS.options.map(({ name }) => `--${name}`)];
/** Flags of other programs, and placeholders. */
const FOREIGN = ['--unix-socket', '--noproxy', '--locked', '--bare', '--flag', '--name'];

/** Returns the flags of a program: of \`ingest-server\`, a subcommand of \`twin-ingest\`, or a command of package.json. */
async function flagsOf(program: string): Promise<string[]> {
  const [, subcommand] = program.split(' ');
  const command = subcommand === undefined ? FACTS.scripts[program]! : `node cli/src/main.ts ${subcommand}`;
  const [runtime, ...args] = command.split(' ');
  // Only the programs of this repository print their flags.
  if (runtime !== 'node' || args.includes('--test')) return [];
  const child = spawn(process.execPath, [...args, '--help'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [help] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const own = [...help.matchAll(/--[a-z][\w-]*/g)].map(([flag]) => flag);
  return help.includes('SERVER FLAGS') ? [...own, ...SERVER_FLAGS] : own;
}

test('documents name flags that their programs have', async () => {
  const lines = CURRENT.flatMap((path) => commandLines(read(path)).map((line) => ({ path, ...line })));
  assert.ok(lines.length > 150);
  const known = new Map([['ingest-server', SERVER_FLAGS]]);
  // Four at a time: each program takes a third of a second of a core.
  const ask = async (programs: readonly string[]): Promise<void> => {
    for (let at = 0; at < programs.length; at += 4)
      await Promise.all(
        programs.slice(at, at + 4).map(async (program) => known.set(program, await flagsOf(program))),
      );
  };
  const named = new Set(lines.filter(({ flags }) => flags.length > 0).map(({ program }) => program));
  await ask([...named].filter((program) => !known.has(program)));
  const wrong = lines.flatMap(({ path, program, flags }) =>
    flags
      .filter((flag) => !known.get(program)!.includes(flag))
      .map((flag) => `${path}: ${program} has no ${flag}`),
  );
  const inSentences = CURRENT.flatMap((path) =>
    [...read(path).matchAll(/`(--[a-z][\w-]*)/g)].map(([, flag]) => ({ path, flag: flag! })),
  );
  const unknown = () =>
    inSentences.filter(({ flag }) => ![...FOREIGN, ...[...known.values()].flat()].includes(flag));
  // A sentence may name a flag of a command that no example calls with flags.
  const others = [...FACTS.subcommands.map((name) => `twin-ingest ${name}`), ...Object.keys(FACTS.scripts)];
  for (let at = 0; at < others.length && unknown().length > 0; at += 4) await ask(others.slice(at, at + 4));
  for (const { path, flag } of unknown()) wrong.push(`${path}: no program has ${flag}`);
  assert.deepEqual(wrong, []);
});

test('every kind of false claim is found', () => {
  const claims: readonly (readonly [text: string, truth: RegExp])[] = [
    ['`pnpm nothing:here`', /no command of package.json/],
    ['`./twin-ingest nothing --yes`', /no subcommand/],
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

test('a command line is its program and its flags', () => {
  assert.deepEqual(
    commandLines(
      '```sh\nnpx --yes pnpm@12.21.0 start:rs -- --prices a   # or --nothing\nURL=x ./twin-ingest --db \\\n  b && twin-ingest stop --db c\n```\n`a/ingest-server --port 0`',
    ),
    [
      { program: 'start:rs', flags: ['--prices'] },
      { program: 'twin-ingest start', flags: ['--db'] },
      { program: 'twin-ingest stop', flags: ['--db'] },
      { program: 'ingest-server', flags: ['--port'] },
    ],
  );
});
