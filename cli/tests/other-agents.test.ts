/**
 * Tests settings of Gemini CLI, hooks of Codex and the plugin of OpenCode: added, removed, never in place of the user's
 * own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerAddress } from '../src/connect/agent.ts';
import { CODEX_HOOKS, codexHandlersFor } from '../src/connect/codex-hooks.ts';
import { connectedGemini, disconnectedGemini, geminiTelemetry } from '../src/connect/gemini.ts';
import { withHooks, withoutHooks } from '../src/connect/hooks-edit.ts';
import { OPENCODE, pluginFor } from '../src/connect/opencode.ts';

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

const HAND = '{"type":"command","command":"echo by hand"}';
for (const text of ['{\n}', `{"description":"d","hooks":{"Stop":[{"hooks":[${HAND}]}]}}`]) {
  for (const server of [SERVER, OTHER] as readonly ServerAddress[]) {
    test(`hooks of Codex are connected, connected again and undone (${text}, ${server.origin})`, () => {
      const wanted = codexHandlersFor(server, { hasCurl: true });
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
  const text = withHooks('{}', CODEX_HOOKS, codexHandlersFor(SERVER, { hasCurl: true }), SERVER.origin).text;
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
