/**
 * `check-twins` on made-up trees: one that is in order, and the same with one thing wrong.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTree, type Tree } from '@twin-ingest/testkit/files/tree.ts';
import { checkTwins, MOST_LINES } from '../check-twins.ts';
import { declaredModules, publicFunctions, readTrees } from '../twin-sources.ts';

const TABLE = `# Architecture

| # | Rust | TypeScript | holds |
|---|---|---|---|
| 1 | \`server-rs/src/config.rs\` | \`server-ts/src/config.ts\` | options |
| 2 | \`server-rs/src/store/mod.rs\` | \`server-ts/src/store/index.ts\` | the store |
| | \`server-rs/src/store/connection_pool.rs\` | \`server-ts/src/store/connection-pool.ts\` | connections |
| 3 | \`server-rs/src/main.rs\` | \`server-ts/src/main.ts\` | starts |
`;

const GOOD: Tree = {
  'ARCHITECTURE.md': TABLE,
  'server-rs/src/lib.rs': '//! All.\npub mod config;\npub mod store;\n\n#[cfg(test)]\nmod tests;\n',
  'server-rs/src/config.rs': '//! Options.\npub fn parse_config() {}\nfn private() {}\n',
  'server-rs/src/store/mod.rs': '//! Store.\nmod connection_pool;\n',
  'server-rs/src/store/connection_pool.rs': '//! Pool.\npub async fn open() {}\n',
  'server-rs/src/main.rs': '//! Starts.\nfn main() {}\n',
  'server-rs/src/tests.rs': '//! Tests.\n',
  'server-ts/src/config.ts': '/** Options. */\nexport function parseConfig(): void {}\n',
  'server-ts/src/config.test.ts': "import '../../parity-tests/x.ts';\n",
  'server-ts/src/sql.d.ts': 'declare module "x";\n',
  'server-ts/src/store/index.ts': '/** Store. */\n',
  'server-ts/src/store/connection-pool.ts': '/** Pool. */\nexport async function open(): Promise<void> {}\n',
  'server-ts/src/main.ts': '/** Starts. */\n',
};

async function problemsOf(changes: Tree): Promise<readonly string[]> {
  return inTree({ ...GOOD, ...changes }, (root) => checkTwins(readTrees(root)).problems);
}

test('trees that are twins have no problem', async () => {
  assert.deepEqual(await problemsOf({}), []);
});

test('no table is a problem, not a pass', async () => {
  const problems = await problemsOf({ 'ARCHITECTURE.md': undefined });
  assert.deepEqual(problems.slice(0, 2), [
    'ARCHITECTURE.md is not there',
    'ARCHITECTURE.md has no table of twins',
  ]);
});

test('a module that one twin lacks', async () => {
  assert.deepEqual(await problemsOf({ 'server-ts/src/store/connection-pool.ts': undefined }), [
    'server-ts/src/store/connection-pool.ts is in the table, but not there',
    'server-rs/src/store/connection_pool.rs: the other twin has no open',
  ]);
  assert.deepEqual(await problemsOf({ 'server-ts/src/extra.ts': '/** Extra. */\n' }), [
    'server-ts/src/extra.ts is not in the table of ARCHITECTURE.md',
  ]);
});

test('a module that only one twin needs stands in the table with a dash', async () => {
  const table = `${TABLE}| | - | \`server-ts/src/worker.ts\` | where the worker begins |\n`;
  assert.deepEqual(
    await problemsOf({ 'ARCHITECTURE.md': table, 'server-ts/src/worker.ts': '/** Worker. */\n' }),
    [],
  );
});

test('rows that pair what does not belong together', async () => {
  const table = TABLE.replace('`server-ts/src/config.ts`', '`server-ts/src/options.ts`');
  const problems = await problemsOf({
    'ARCHITECTURE.md': table,
    'server-ts/src/config.ts': undefined,
    'server-ts/src/options.ts': GOOD['server-ts/src/config.ts'],
  });
  assert.deepEqual(problems, [
    'ARCHITECTURE.md: server-rs/src/config.rs stands beside server-ts/src/options.ts',
  ]);
});

test('mod lines in another order than the table', async () => {
  assert.deepEqual(await problemsOf({ 'server-rs/src/lib.rs': 'pub mod store;\npub mod config;\n' }), [
    'server-rs/src/lib.rs has the order store config, the table config store',
  ]);
});

test('words and imports that lead to the other twin', async () => {
  assert.deepEqual(
    await problemsOf({
      'server-ts/src/main.ts':
        "/** Mirrors the Rust server. */\nimport { x } from '../../parity-tests/src/x.ts';\n",
      'server-rs/src/main.rs': 'const X: &str = include_str!("../../server-ts/package.json");\n',
    }),
    [
      'server-rs/src/main.rs reaches into server-ts',
      'server-ts/src/main.ts says "mirrors": say what holds, not who copies whom',
      'server-ts/src/main.ts reaches into parity-tests',
    ],
  );
});

test('a long file says why at its top', async () => {
  const long = (head: string): string => `${head}\n${'// line\n'.repeat(MOST_LINES)}`;
  const path = 'server-ts/src/main.ts';
  const [problem] = await problemsOf({ [path]: long('/** Starts. */') });
  assert.equal(problem, `${path} has 251 lines; split it, or let its head say "Over 250 lines because …"`);
  const reason = '/**\n * Starts.\n * Over 250 lines because one table is read at once.\n */';
  assert.deepEqual(await problemsOf({ [path]: long(reason) }), []);
  const late = `${long('/** Starts. */')}// Over 250 lines because nobody reads this.\n`;
  assert.equal((await problemsOf({ [path]: late })).length, 1);
});

test('unit tests at the end of a Rust file are not counted', async () => {
  const tests = `#[cfg(test)]\nmod tests {\n${'    // line\n'.repeat(MOST_LINES)}}\n`;
  assert.deepEqual(
    await problemsOf({ 'server-rs/src/main.rs': `//! Starts.\nfn main() {}\n\n${tests}` }),
    [],
  );
});

test('a public function that one twin lacks', async () => {
  const config = `${GOOD['server-ts/src/config.ts']}export function helpText(): string {\n  return '';\n}\n`;
  const change = { 'server-ts/src/config.ts': config };
  assert.deepEqual(await problemsOf(change), ['server-ts/src/config.ts: the other twin has no helpText']);
  const table = (reason: string): string =>
    `${TABLE}\n| module | twin | function | why |\n|---|---|---|---|\n| \`config\` | \`ts\` | \`helpText\` |${reason}|\n`;
  assert.deepEqual(await problemsOf({ ...change, 'ARCHITECTURE.md': table(' clap has its own ') }), []);
  assert.deepEqual(await problemsOf({ ...change, 'ARCHITECTURE.md': table('  ') }), [
    'ARCHITECTURE.md: the exception helpText has no reason',
  ]);
  assert.deepEqual(await problemsOf({ 'ARCHITECTURE.md': table(' clap has its own ') }), [
    'ARCHITECTURE.md: config helpText needs no exception',
  ]);
});

test('a function of one twin may be a method of the other', async () => {
  const pool = '//! Pool.\nimpl Pool {\n    pub fn open() {}\n}\n';
  assert.deepEqual(await problemsOf({ 'server-rs/src/store/connection_pool.rs': pool }), []);
  const script =
    '/** Options. */\nexport class Config {\n  static parseConfig(): Config {\n    return new Config();\n  }\n}\n';
  assert.deepEqual(await problemsOf({ 'server-ts/src/config.ts': script }), []);
});

test('what counts as public and as a module', () => {
  const rust =
    'pub fn a() {}\npub(crate) async fn b() {}\nfn c() {}\n    pub fn method() {}\npub const fn d() {}\n';
  // What is visible inside the crate only is not public.
  assert.deepEqual(publicFunctions('rs', rust), ['a', 'd']);
  const script =
    'export function a() {}\nexport async function b() {}\nfunction c() {}\nexport function* d() {}\n';
  assert.deepEqual(publicFunctions('ts', script), ['a', 'b', 'd']);
  const modules = 'mod a;\npub mod b;\npub(crate) mod c;\nmod tests;\nmod a_tests;\nmod inline {}\n';
  assert.deepEqual(declaredModules(modules), ['a', 'b', 'c']);
});
