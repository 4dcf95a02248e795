/**
 * Tests agents with one JSON file of settings, hooks of Codex and the plugin of OpenCode: added, removed, never in place of the user's
 * own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerAddress } from '../src/connect/agent.ts';
import { agentOf } from '../src/connect/agents.ts';
import { CODEX_HOOKS } from '../src/connect/codex.ts';
import { withHooks, withoutHooks } from '../src/connect/hooks-edit.ts';
import { connectedJson, disconnectedJson } from '../src/connect/json-agent.ts';
import { memberFor } from '../src/connect/json-member.ts';
import { OPENCODE, pluginFor } from '../src/connect/opencode.ts';
import { ALL_RECIPES } from '../src/connect/recipe.ts';

const GEMINI = ALL_RECIPES.find(({ command }) => command === 'gemini')!;
const connectedGemini = (text: string, server: ServerAddress) =>
  connectedJson(GEMINI, text, server, { hasCurl: true });
const disconnectedGemini = (text: string) => disconnectedJson(GEMINI, text);
const geminiTelemetry = (origin: string) => memberFor(GEMINI.member!, origin);

const SERVER = { origin: 'http://127.0.0.1:3141', token_file: null };
const OTHER = { origin: 'https://[::1]:8443', token_file: "/home/o'neil/a token" };
const place = { home: '/h', cwd: '/c', env: {}, system: '/', platform: 'linux', hasCurl: true } as const;

for (const text of ['{}\n', '// mine\n{\n  "a": 1.0, // one\n  "b": {}\n}\n', '{"a":[1]}']) {
  test(`Gemini CLI is connected, connected again, moved and undone: ${JSON.stringify(text)}`, () => {
    const once = connectedGemini(text, SERVER);
    assert.ok(once.text.includes('"otlpProtocol"') && once.text.includes('"logPrompts"'));
    assert.deepEqual(connectedGemini(once.text, SERVER), { text: once.text, changes: [] });
    const moved = connectedGemini(once.text, OTHER);
    assert.equal(moved.text, connectedGemini(text, OTHER).text);
    const undone = disconnectedGemini(moved.text).text;
    if (text !== '{}\n') assert.equal(undone, text);
    else assert.deepEqual(JSON.parse(undone), {});
  });
}

test('the user’s own telemetry is shown and kept', () => {
  for (const telemetry of [{ enabled: false }, { ...geminiTelemetry('http://a'), logPrompts: true }, {}]) {
    const text = JSON.stringify({ telemetry });
    const edit = connectedGemini(text, SERVER);
    assert.deepEqual([edit.text, edit.changes.map(({ kind }) => kind)], [text, ['conflict']]);
    assert.equal(disconnectedGemini(text).text, text);
  }
  assert.throws(() => connectedGemini('{"a":1,}', SERVER), { code: 'not_json' });
  assert.throws(() => connectedGemini('{"telemetry":true}', SERVER), { code: 'shape' });
});

for (const recipe of ALL_RECIPES.filter(({ format }) => format === 'json'))
  for (const text of ['// mine\n{\n  "a": 1.0, // one\n  "b": {}\n}\n', '{"a":[1]}'])
    for (const hasCurl of [true, false])
      test(`${recipe.label} is connected, connected again, moved and undone (${hasCurl}, ${JSON.stringify(text)})`, () => {
        const [part] = agentOf(recipe.command)!.parts({ ...place, hasCurl }, 'own');
        const connected = (before: string, server: ServerAddress) => part!.connected(before, server).text!;
        const once = connected(text, SERVER);
        assert.equal(connected(once, SERVER), once);
        const moved = connected(once, OTHER);
        assert.equal(moved, connected(text, OTHER));
        assert.equal(part!.disconnected(moved).text, text);
        const hooks = Object.keys(recipe.hooks?.events ?? {});
        const names = part!.connected(text, SERVER).changes.map(({ name }) => name);
        const member = recipe.member === undefined ? [] : [recipe.member.name];
        assert.deepEqual(names, [...(hasCurl ? hooks : []), ...member]);
      });

test('each agent has its settings where its variable says', () => {
  const cases = [
    ['gemini', { GEMINI_CLI_HOME: '/g' }, '/g/.gemini/settings.json'],
    ['qwen-code', { QWEN_HOME: '/q' }, '/q/settings.json'],
    ['qwen-code', {}, '/h/.qwen/settings.json'],
    ['copilot-cli', { COPILOT_HOME: '/p' }, '/p/settings.json'],
  ] as const;
  for (const [name, env, path] of cases)
    assert.equal(agentOf(name)!.parts({ ...place, env }, 'own')[0]!.path, path);
});

test('an agent whose telemetry no setting switches on names the variable and the header', () => {
  const lines = agentOf('copilot-cli')!.advice(OTHER, place).join('\n');
  assert.match(lines, /export OTEL_EXPORTER_OTLP_ENDPOINT='https:\/\/\[::1\]:8443'/);
  assert.match(lines, /export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer/);
});

const HAND = '{"type":"command","command":"echo by hand"}';
for (const text of ['{\n}', `{"description":"d","hooks":{"Stop":[{"hooks":[${HAND}]}]}}`]) {
  for (const server of [SERVER, OTHER] as readonly ServerAddress[]) {
    test(`hooks of Codex are connected, connected again and undone (${text}, ${server.origin})`, () => {
      const wanted = CODEX_HOOKS.handlersFor(server, { hasCurl: true });
      const once = withHooks(text, CODEX_HOOKS, wanted, server.origin);
      assert.deepEqual(
        once.changes.map(({ kind, name }) => [kind, name]),
        [...wanted.keys()].map((name) => ['add', name]),
      );
      assert.deepEqual(withHooks(once.text, CODEX_HOOKS, wanted, server.origin), {
        text: once.text,
        changes: [],
      });
      const undone = withoutHooks(once.text, CODEX_HOOKS).text;
      if (text === '{\n}') assert.deepEqual(JSON.parse(undone), {});
      else assert.equal(undone, text);
    });
  }
}

test('a hook of Codex that was changed by hand is kept', () => {
  const text = withHooks(
    '{}',
    CODEX_HOOKS,
    CODEX_HOOKS.handlersFor(SERVER, { hasCurl: true }),
    SERVER.origin,
  ).text;
  const changed = text.replace('--max-time 1', '--max-time 9');
  assert.notEqual(changed, text);
  assert.deepEqual(
    withoutHooks(changed, CODEX_HOOKS).changes.filter(({ kind }) => kind === 'keep').length,
    1,
  );
});

test('the plugin of OpenCode has at most 70 lines, names its server, and is replaced and removed as a whole', () => {
  const [part] = OPENCODE.parts(place, 'own');
  assert.equal(part!.path, '/h/.config/opencode/plugins/twin-ingest.js');
  assert.ok(pluginFor(OTHER).trimEnd().split('\n').length <= 70);
  const once = part!.connected(null, SERVER).text!;
  assert.deepEqual(part!.connected(once, SERVER), { text: once, changes: [] });
  const moved = part!.connected(once, OTHER);
  assert.equal(moved.text, pluginFor(OTHER));
  assert.ok(moved.text!.includes(JSON.stringify(OTHER.token_file)));
  assert.deepEqual(part!.disconnected(moved.text), {
    text: null,
    changes: [{ kind: 'remove', name: 'plugin', value: 'sends to https://[::1]:8443/api/events' }],
  });
  assert.deepEqual(part!.disconnected(null), { text: null, changes: [] });
  assert.throws(() => part!.connected('export const Mine = 1;\n', SERVER), { code: 'shape' });
});
