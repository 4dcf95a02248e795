/**
 * Tests that the sources of both servers, the client and the dashboard name no agent. What they need of an agent is in
 * its folder of `contract/agents`.
 *
 * Tests may name agents, since they check what becomes of real payloads.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { agentTexts, hookRoutes, withHookPaths, withHookRoutes } from '../contract/agents.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['server-rs/src', 'server-ts/src', 'client-ts/src', 'dashboard/src', 'mapping/src'];
/** Where the tests of a Rust module begin. */
const RUST_TESTS = /^#\[cfg\(test\)\]\nmod \w+ \{[\s\S]*/m;
/** Words of names that are no name of an agent. Conventions of OpenTelemetry are no agent. */
const PLAIN = /^(cli|code|gen|ai|gen_ai|with|agents|attributes|github)$/i;

/** Returns a pattern for the names of all agents, in any notation. */
function namePattern(): RegExp {
  const folders = readdirSync(join(ROOT, 'contract/agents'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const labels = Object.values(agentTexts(ROOT)).map((texts) => (texts as { label: string }).label);
  const words = [...folders, ...labels].flatMap((name) => name.split(/[ -]/));
  const brands = words.filter((word) => !PLAIN.test(word));
  return new RegExp([...new Set(brands)].join('|'), 'i');
}

function sourcesOf(folder: string): (readonly [path: string, text: string])[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(rs|tsx?)$/.test(path) && !/[._]tests?\.(rs|ts)$/.test(path))
    .map((path) => [`${folder}/${path}`, readFileSync(join(ROOT, folder, path), 'utf8')]);
}

test('no source of a server, of the client or of the dashboard names an agent', () => {
  const names = namePattern();
  const found = FOLDERS.flatMap(sourcesOf).flatMap(([path, text]) =>
    text
      .replace(RUST_TESTS, '')
      .split('\n')
      .flatMap((line, at) => (names.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('the pattern finds an agent in any notation', () => {
  const names = namePattern();
  for (const text of ['claude_code', 'Codex', 'GeminiCli', 'qwen-code', 'COPILOT', 'OpenCode'])
    assert.match(text, names);
  assert.doesNotMatch('an agent with gen_ai attributes, code, cli', names);
});

test('the routes of hooks follow from the folders, in the place of the earlier ones', () => {
  const agents = [
    { path: '/api/hooks/a', label: 'A' },
    { path: '/api/hooks/b', label: 'B' },
  ];
  const routes = [{ path: '/x' }, { path: '/api/hooks/a', methods: ['POST'] }, { path: '/y' }];
  assert.deepEqual(withHookRoutes({ routes }, agents), {
    routes: [
      { path: '/x' },
      { path: '/api/hooks/a', methods: ['POST'] },
      { path: '/api/hooks/b', methods: ['POST'] },
      { path: '/y' },
    ],
  });
  const paths = { '/x': {}, '/api/hooks/c': { post: { summary: 'old', tags: [] } }, '/y': {} };
  assert.deepEqual(Object.entries(withHookPaths({ paths }, agents).paths as object), [
    ['/x', {}],
    ['/api/hooks/a', { post: { summary: 'Store what a hook of A sends', tags: [] } }],
    ['/api/hooks/b', { post: { summary: 'Store what a hook of B sends', tags: [] } }],
    ['/y', {}],
  ]);
  assert.ok(hookRoutes(ROOT).some(({ path }) => path === '/api/hooks/copilot-cli'));
});
