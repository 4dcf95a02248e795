/** Tests the name of the command line, and that no source has one of its own. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandName, nameFlags } from '../src/command-name.ts';

const NAMES: readonly (readonly [
  what: string,
  env: object,
  program: string,
  isPackaged: boolean,
  name: string,
])[] = [
  ['a checkout', {}, '/c/cli/src/main.ts', false, './twin-ingest'],
  ['the script', { TWIN_INGEST_COMMAND: '/c/twin-ingest' }, '/c/cli/src/main.ts', false, '/c/twin-ingest'],
  ['a path with a blank', { TWIN_INGEST_COMMAND: '/a b/t' }, '/a b/cli/src/main.ts', false, "'/a b/t'"],
  ['a path with a quote', { TWIN_INGEST_COMMAND: "/it's/t" }, '/x', false, "'/it'\\''s/t'"],
  ['a home', { TWIN_INGEST_COMMAND: '~/t' }, '/x', false, "'~/t'"],
  ['npx', { npm_command: 'exec' }, '/h/.npm/_npx/1/node_modules/.bin/twin-ingest', true, 'npx twin-ingest'],
  ['npx of a project', { npm_command: 'exec' }, '/p/node_modules/.bin/twin-ingest', true, 'npx twin-ingest'],
  ['pnpm dlx', {}, '/h/.cache/pnpm/dlx-1/node_modules/x/bin/twin-ingest.js', true, 'npx twin-ingest'],
  ['a global installation', {}, '/usr/bin/twin-ingest', true, 'twin-ingest'],
];

for (const [what, env, program, isPackaged, name] of NAMES)
  test(`commandName fits ${what}`, () => {
    assert.equal(commandName(env as Record<string, string>, program, isPackaged), name);
  });

test('nameFlags leaves a name of the user', () => {
  assert.deepEqual(nameFlags(['--port', '0'], {}), ['--command-name', './twin-ingest']);
  assert.deepEqual(nameFlags([], { INGEST_COMMAND_NAME: '' }), ['--command-name', './twin-ingest']);
  assert.deepEqual(nameFlags([], { INGEST_COMMAND_NAME: 'x' }), []);
  assert.deepEqual(nameFlags(['--command-name=x'], {}), []);
});

/** Scripts of a checkout without a subcommand, which name themselves. */
const SCRIPTS = ['start.ts', 'demo/options.ts'];

test('messages and help name no script of package.json', () => {
  const folder = fileURLToPath(new URL('../src/', import.meta.url));
  const sources = globSync('**/*.ts', { cwd: folder }).filter((path) => !SCRIPTS.includes(path));
  assert.ok(sources.length > 60);
  for (const path of sources) {
    const code = readFileSync(`${folder}${path}`, 'utf8')
      .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/$/gm, '')
      .replaceAll(/^\s*\/\/.*$/gm, '');
    assert.doesNotMatch(code, /\bpnpm (?:[a-z]|\$\{)|npx (?:--yes )?twin-ingest(?!')/, path);
  }
});
