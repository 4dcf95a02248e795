/** Tests that the generated constants of both servers have every entry of the contract, and that each flag is read. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const json = <Value>(name: string): Value => JSON.parse(read(`contract/${name}`)) as Value;

type Table = Readonly<Record<string, unknown>>;

const { errors, ...words } = json<{ errors: Record<string, { text: string }> } & Table>('vocabulary.json');
const CONFIG = json<{ options: { name: string; env: string }[]; messages: Table; exits: Table }>(
  'config.json',
);

const METRICS = json<{ families: { name: string; help: string; labels: string[] }[]; values: Table }>(
  'metrics.json',
);
const ROUTES = json<{ routes: { path: string }[]; parameters: Record<string, { name: string }> }>(
  'routes.json',
);

/** Returns every text inside of a value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** For each kind of entry: its module, and what the module must contain. */
const KINDS: Readonly<Record<string, readonly [module: string, entries: readonly string[]]>> = {
  limits: ['limits', Object.keys(json<Table>('limits.json'))],
  tuning: ['limits', Object.keys(json<Table>('tuning.json'))],
  'error codes': ['errors', Object.keys(errors)],
  'texts of errors': ['errors', Object.values(errors).map(({ text }) => text)],
  words: ['vocabulary', textsOf(words)],
  flags: ['flags', CONFIG.options.flatMap(({ name, env }) => [name, env])],
  messages: ['flags', textsOf(CONFIG.messages)],
  exits: ['flags', textsOf(CONFIG.exits)],
  metrics: ['metrics', METRICS.families.flatMap(({ name, help, labels }) => [name, help, ...labels])],
  routes: ['routes', ROUTES.routes.map(({ path }) => path)],
  parameters: ['routes', Object.values(ROUTES.parameters).map(({ name }) => name)],
  'words of labels': ['metrics', textsOf(METRICS.values)],
};

/** Removes what the two languages write differently in a text. */
const plain = (text: string): string => text.replaceAll(/\\(?=['"\\])|[\r\n]/g, '');

test('both servers have a constant for every entry of the contract', () => {
  for (const [kind, [module, entries]] of Object.entries(KINDS)) {
    assert.ok(entries.length > 1, kind);
    for (const path of [`server-rs/src/contract/${module}.rs`, `server-ts/src/contract/${module}.ts`]) {
      const source = plain(read(path));
      assert.deepEqual(
        entries.filter((entry) => !source.includes(plain(entry))),
        [],
        `${kind} in ${path}`,
      );
    }
  }
});

test('both servers read every flag once, in the order of config.json', () => {
  const wanted = CONFIG.options.map(({ name }) => name.replaceAll('-', ''));
  for (const path of ['server-rs/src/config/values.rs', 'server-ts/src/config/values.ts']) {
    const used = [...read(path).matchAll(/\((?:&)?FLAGS\.(\w+)/g)].map(([, name]) =>
      name!.replaceAll('_', '').toLowerCase(),
    );
    assert.deepEqual(used, wanted, path);
  }
});

test('both servers have a handler for every route', () => {
  const [rust, script] = [read('server-rs/src/http/mod.rs'), read('server-ts/src/http/index.ts')];
  const rustRoutes = [...read('server-rs/src/contract/routes.rs').matchAll(/Route::(\w+) => "/g)];
  assert.equal(rustRoutes.length, ROUTES.routes.length);
  // The routes of hooks follow from the mappings.
  for (const source of [rust, script]) assert.match(source, /HOOK_PATHS/);
  for (const [, name] of rustRoutes)
    if (!name!.startsWith('ApiHooks')) assert.match(rust, new RegExp(`\\bRoute::${name},`));
  for (const { path } of ROUTES.routes)
    if (!path.startsWith('/api/hooks/')) assert.ok(script.includes(`on('${path}', `), path);
});
