/** Tests `check-twins` on made-up trees: a valid one, and the same with one fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTree, type Tree } from '@twin-ingest/testkit/files/tree.ts';
import { checkTwins, MOST_LINES } from '../check-twins.ts';
import { twinDocument } from '../twin-document.ts';
import { expandUse } from '../twin-imports.ts';
import {
  DOCUMENT,
  declaredModules,
  EXCEPTIONS,
  type Exceptions,
  publicNames,
  purposeOf,
  readTrees,
} from '../twin-sources.ts';

const GOOD: Tree = {
  'server-rs/src/lib.rs': '//! All.\npub mod store;\npub mod config;\n\n#[cfg(test)]\nmod tests;\n',
  'server-rs/src/config.rs':
    '//! Options. More.\npub struct Config;\npub fn parse_config() {}\nfn private() {}\n',
  'server-rs/src/store/mod.rs': '//! Store.\nmod connection_pool;\nuse crate::config::Config;\n',
  'server-rs/src/store/connection_pool.rs': '//! Pool.\npub async fn open() {}\n',
  'server-rs/src/main.rs': '//! Starts.\nfn main() {}\n',
  'server-rs/src/tests.rs': '//! Tests.\n',
  'server-ts/src/config.ts':
    '/** Options. */\nexport interface Config {}\nexport function parseConfig(): void {}\n',
  'server-ts/src/config.test.ts': "import '../../parity-tests/x.ts';\n",
  'server-ts/src/sql.d.ts': 'declare module "x";\n',
  'server-ts/src/store/index.ts': "/** Store. */\nimport type { Config } from '../config.ts';\n",
  'server-ts/src/store/connection-pool.ts': '/** Pool. */\nexport async function open(): Promise<void> {}\n',
  'server-ts/src/main.ts': '/** Starts. */\n',
};

/** Returns the problems of the valid tree with these changes and an up-to-date document. */
async function problemsOf(changes: Tree, exceptions: Partial<Exceptions> = {}): Promise<readonly string[]> {
  const tree = { ...GOOD, [EXCEPTIONS]: JSON.stringify(exceptions), ...changes };
  return inTree(tree, (root) => {
    const trees = readTrees(root);
    return checkTwins({ ...trees, document: trees.document ?? twinDocument(trees) }).problems;
  });
}

test('matching trees have no problem', async () => {
  assert.deepEqual(await problemsOf({}), []);
});

test('an empty checkout is a problem, not a pass', async () => {
  const none = Object.fromEntries(Object.keys(GOOD).map((path) => [path, undefined]));
  assert.deepEqual(await problemsOf(none), ['no module is in both trees']);
});

test('a module that one twin lacks needs an exception with a reason', async () => {
  const extra = { 'server-ts/src/extra.ts': '/** Extra. */\nexport class Extra {}\n' };
  assert.deepEqual(await problemsOf(extra), ['server-ts/src: the other twin has no module extra']);
  const modules = (reason: string) => ({ modules: [{ twin: 'ts', module: 'extra', reason }] as const });
  assert.deepEqual(await problemsOf(extra, modules('Rust has it in its library.')), []);
  assert.deepEqual(await problemsOf(extra, modules(' ')), [`${EXCEPTIONS}: extra has no reason`]);
  assert.deepEqual(await problemsOf({}, modules('Gone.')), [
    `${EXCEPTIONS}: module extra needs no exception`,
  ]);
});

test('both head comments must start with the same sentence', async () => {
  assert.deepEqual(await problemsOf({ 'server-ts/src/main.ts': '/** Begins. */\n' }), [
    'server-rs/src/main.rs and server-ts/src/main.ts begin with different sentences',
  ]);
  assert.deepEqual(await problemsOf({ 'server-ts/src/main.ts': 'export {};\n' }), [
    'server-ts/src/main.ts: its head comment has no sentence',
  ]);
  assert.equal(
    purposeOf('/**\n * Reads `a.json`, by\n * rule 9.6. More.\n */\n'),
    'Reads `a.json`, by rule 9.6.',
  );
  assert.equal(purposeOf('//! Reads.\n//!\n//! More.\nfn a() {}\n'), 'Reads.');
});

test('the document lists modules in the order of the mod lines, and must be up to date', async () => {
  const [problems, document] = await inTree({ ...GOOD, [DOCUMENT]: '# Twins\n' }, (root) => {
    const trees = readTrees(root);
    return [checkTwins(trees).problems, twinDocument(trees)] as const;
  });
  assert.deepEqual(problems, [`${DOCUMENT} is not what the sources give: run pnpm twins:update`]);
  const rows = document.split('\n').filter((line) => line.startsWith('| `'));
  assert.deepEqual(
    rows.map((row) => row.split(/ *\| */).slice(1, -1)),
    [
      ['`server-rs/src/store/mod.rs`', '`server-ts/src/store/index.ts`', 'Store.'],
      ['`server-rs/src/store/connection_pool.rs`', '`server-ts/src/store/connection-pool.ts`', 'Pool.'],
      ['`server-rs/src/config.rs`', '`server-ts/src/config.ts`', 'Options.'],
      ['`server-rs/src/main.rs`', '`server-ts/src/main.ts`', 'Starts.'],
    ],
  );
});

test('words and imports of the other server are problems', async () => {
  assert.deepEqual(
    await problemsOf({
      'server-ts/src/main.ts':
        "/** Starts. Mirrors the Rust server. */\nimport { x } from '../../parity-tests/src/x.ts';\n",
      'server-rs/src/main.rs': '//! Starts.\nconst X: &str = include_str!("../../server-ts/package.json");\n',
    }),
    [
      'server-rs/src/main.rs reaches into server-ts',
      'server-ts/src/main.ts says "mirrors": say what holds, not who copies whom',
      'server-ts/src/main.ts reaches into parity-tests',
    ],
  );
});

test('JSON text outside its modules is a problem', async () => {
  const rust =
    '//! Options.\npub struct Config;\npub fn parse_config() {\n    out.push_str(",\\"since\\":");\n}\n';
  assert.deepEqual(await problemsOf({ 'server-rs/src/config.rs': rust }), [
    'server-rs/src/config.rs writes JSON text, which is the work of render: out.push_str(",\\"since\\":");',
  ]);
  const script = `${GOOD['server-ts/src/config.ts']}const TEXT = '{"status":"ok"}';\n`;
  assert.equal((await problemsOf({ 'server-ts/src/config.ts': script })).length, 1);
  const value = 'fn value() { json!({"status": 1}); }\n// `{"status":1}`\n';
  assert.deepEqual(await problemsOf({ 'server-rs/src/main.rs': `//! Starts.\n${value}` }), []);
});

test('a long file must give the reason at its top', async () => {
  const long = (head: string): string => `${head}\n${'// line\n'.repeat(MOST_LINES)}`;
  const path = 'server-ts/src/main.ts';
  const [problem] = await problemsOf({ [path]: long('/** Starts. */') });
  assert.equal(problem, `${path} has 251 lines; split it, or let its head say "Over 250 lines because …"`);
  const reason = '/**\n * Starts.\n * Over 250 lines because one table is read at once.\n */';
  assert.deepEqual(await problemsOf({ [path]: long(reason) }), []);
  const late = `${long('/** Starts. */')}// Over 250 lines because nobody reads this.\n`;
  assert.equal((await problemsOf({ [path]: late })).length, 1);
  assert.deepEqual(await problemsOf({ [path]: `${reason}\n` }), [
    `${path} has 4 lines; its head says that it has over 250`,
  ]);
});

test('a module that is generated for both may be long and have other names', async () => {
  const tree = (head: string): Tree => ({
    'server-rs/src/config.rs': `//! Options.\n//!\n//! ${head}\npub struct Config;\npub struct Other;\n`,
    'server-ts/src/config.ts': `/**\n * Options.\n *\n * ${head}\n */\nexport interface Config {}\n${'// line\n'.repeat(MOST_LINES)}`,
  });
  assert.deepEqual(await problemsOf(tree('Generated by `pnpm contract:update`.')), []);
  assert.notDeepEqual(await problemsOf(tree('By hand.')), []);
});

test('unit tests at the end of a Rust file are not counted', async () => {
  const tests = `#[cfg(test)]\nmod tests {\n${'    // line\n'.repeat(MOST_LINES)}}\n`;
  assert.deepEqual(
    await problemsOf({ 'server-rs/src/main.rs': `//! Starts.\nfn main() {}\n\n${tests}` }),
    [],
  );
});

test('a public function or type of one server alone is a problem', async () => {
  const path = 'server-ts/src/config.ts';
  const change = {
    [path]: `${GOOD[path]}export type Help = string;\nexport function helpText(): Help {\n  return '';\n}\n`,
  };
  assert.deepEqual(await problemsOf(change), [
    `${path}: the other twin has no helpText`,
    `${path}: the other twin has no Help`,
  ]);
  const names = (reason: string) => ({
    names: [{ twin: 'ts', reason, names: { config: ['helpText', 'Help'] } }] as const,
  });
  assert.deepEqual(await problemsOf(change, names('clap has its own')), []);
  assert.deepEqual(await problemsOf(change, names(' ')), [`${EXCEPTIONS}: helpText, Help has no reason`]);
  assert.deepEqual(await problemsOf({}, names('clap has its own')), [
    `${EXCEPTIONS}: ts config helpText needs no exception`,
    `${EXCEPTIONS}: ts config Help needs no exception`,
  ]);
});

test('a type belongs to the same module in both twins', async () => {
  const moved = {
    'server-rs/src/config.rs': '//! Options.\npub fn parse_config() {}\n',
    'server-rs/src/store/mod.rs': '//! Store.\nmod connection_pool;\npub struct Config;\n',
    'server-ts/src/store/index.ts': '/** Store. */\n',
  };
  assert.deepEqual(await problemsOf(moved), [
    'server-ts/src/config.ts: the other twin has no Config',
    'server-rs/src/store/mod.rs: the other twin has no Config',
  ]);
});

test('a name of a paired module may be in a module of the other server alone', async () => {
  const pool = 'server-ts/src/store/connection-pool.ts';
  const split = {
    [pool]: '/** Pool. */\n',
    'server-ts/src/store/pool-thread.ts': '/** Thread. */\nexport function open(): void {}\n',
  };
  const modules = [{ twin: 'ts', module: 'store/pool_thread', reason: 'Threads share no objects.' }] as const;
  assert.deepEqual(await problemsOf(split, { modules }), []);
  assert.deepEqual(await problemsOf({ [pool]: '/** Pool. */\n' }), [
    'server-rs/src/store/connection_pool.rs: the other twin has no open',
  ]);
});

test('a public name of one server may be private or a method in the other', async () => {
  const pool = '//! Pool.\nimpl Pool {\n    pub fn open() {}\n}\n';
  assert.deepEqual(await problemsOf({ 'server-rs/src/store/connection_pool.rs': pool }), []);
  const script =
    '/** Options. */\ninterface Config {}\nexport class Parser {\n  static parseConfig(): Config {\n    return {};\n  }\n}\n';
  assert.deepEqual(await problemsOf({ 'server-ts/src/config.ts': script }), [
    'server-ts/src/config.ts: the other twin has no Parser',
  ]);
});

test('an import must have the same direction in both servers', async () => {
  const reversed = {
    'server-rs/src/config.rs': `${GOOD['server-rs/src/config.rs']}use crate::store::connection_pool;\n`,
    'server-ts/src/store/connection-pool.ts':
      "/** Pool. */\nimport type { Config } from '../config.ts';\nexport async function open(_: Config): Promise<void> {}\n",
  };
  const problem =
    'config imports store/connection_pool in Rust, and store/connection_pool imports config in TypeScript';
  assert.deepEqual(await problemsOf(reversed), [problem]);
  const both = {
    'server-ts/src/config.ts': `${GOOD['server-ts/src/config.ts']}import './store/connection-pool.ts';\n`,
  };
  assert.deepEqual(await problemsOf({ ...reversed, ...both }), [problem]);
  const cycle = '//! Pool.\nuse crate::config;\npub async fn open() {}\n';
  const everywhere = { ...reversed, ...both, 'server-rs/src/store/connection_pool.rs': cycle };
  assert.deepEqual(await problemsOf(everywhere), []);

  const ends = { from: 'config', to: 'store/connection_pool' };
  const imports = { imports: [{ twin: 'rs', ...ends, reason: 'A macro needs it.' }] as const };
  assert.deepEqual(await problemsOf(reversed, imports), []);
  assert.deepEqual(await problemsOf({}, imports), [
    `${EXCEPTIONS}: the import of store/connection_pool by config needs no exception`,
  ]);
});

test('every form of a Rust import counts, but not those of its unit tests', async () => {
  const reversed = (line: string) =>
    problemsOf({
      'server-rs/src/store/connection_pool.rs': `//! Pool.\n${line}\npub async fn open() {}\n`,
      'server-ts/src/config.ts': `${GOOD['server-ts/src/config.ts']}import './store/connection-pool.ts';\n`,
    });
  const forms = [
    'use crate::{\n    other,\n    config::{self, Config},\n};',
    'fn a(_: crate::config::Config) {}',
    'use crate::store;\nuse crate::config;\nfn a() { config::parse_config(); }',
  ];
  for (const form of forms) assert.equal((await reversed(form)).length, 1, form);
  const tests = '\n#[cfg(test)]\nmod tests {\n    use crate::config::Config;\n}';
  assert.deepEqual(await reversed(`pub fn open() {}\n${tests}`), []);
  assert.deepEqual(expandUse('a::{b as c, d::{self, e}}'), ['a::b', 'a::d', 'a::d::e']);
});

test('publicNames and moduleName follow the rules of each language', () => {
  const rust =
    'pub fn a() {}\npub(crate) async fn b() {}\nfn c() {}\n    pub fn method() {}\npub const fn d() {}\npub enum E {}\nstruct F;\n';
  // Crate-visible items are not public.
  assert.deepEqual(publicNames('functions', 'rs', rust), ['a', 'd']);
  assert.deepEqual(publicNames('types', 'rs', rust), ['E']);
  const script =
    'export function a() {}\nexport async function b() {}\nfunction c() {}\nexport function* d() {}\nexport abstract class E {}\ntype F = 1;\n';
  assert.deepEqual(publicNames('functions', 'ts', script), ['a', 'b', 'd']);
  assert.deepEqual(publicNames('types', 'ts', script), ['E']);
  const modules = 'mod a;\npub mod b;\npub(crate) mod c;\nmod tests;\nmod a_tests;\nmod inline {}\n';
  assert.deepEqual(declaredModules(modules), ['a', 'b', 'c']);
});
