/** Tests adding and removing hooks in settings of Claude Code: tables of texts; every other byte stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import RECIPE from '../../contract/agents/claude-code/connect.json' with { type: 'json' };
import CONFIG from '../../contract/config.json' with { type: 'json' };
import ROUTES from '../../contract/routes.json' with { type: 'json' };
import { type ServerAddress, type SettingsError, TOKEN_VARIABLE } from '../src/connect/agent.ts';
import { CLAUDE_HOOKS } from '../src/connect/claude-code.ts';
import { earlierCommandOf } from '../src/connect/hook-command.ts';
import { withHooks, withoutHooks } from '../src/connect/hooks-edit.ts';

const HOOK_PATH = CLAUDE_HOOKS.path;
const handlersFor: typeof CLAUDE_HOOKS.handlersFor = (server, place) =>
  CLAUDE_HOOKS.handlersFor(server, place);

const CURL = { hasCurl: true };
const NO_CURL = { hasCurl: false };
const connected = (text: string, server: ServerAddress, machine = CURL) =>
  withHooks(text, CLAUDE_HOOKS, handlersFor(server, machine), server.origin);
const disconnected = (text: string) => withoutHooks(text, CLAUDE_HOOKS);

const port = CONFIG.options.find(({ name }) => name === 'port')!.default;
const SERVER: ServerAddress = { origin: `http://127.0.0.1:${port}`, token_file: null };
const GUARDED: ServerAddress = { origin: 'https://[::1]:8443', token_file: "/home/o'neil/a token" };
const URL_OF = (server: ServerAddress) => `${server.origin}${HOOK_PATH}`;

interface Handler {
  readonly type: string;
  readonly [key: string]: unknown;
}
type Settings = Readonly<Record<string, unknown>> & {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly Handler[] }[]>>;
};
const read = (text: string) => JSON.parse(text) as Settings;
const HAND = '{"type":"command","command":"echo by hand"}';

/** Texts as users and programs write them. */
const TEXTS: Readonly<Record<string, string>> = {
  'none yet': '{}\n',
  'an empty object over lines': '{\n}',
  'two spaces': '{\n  "model": "opus",\n  "n": 1.50e+0\n}\n',
  'four spaces, no last line end': '{\n    "b": [1,\n  2],  "a": "\\u00e4"\n}',
  tabs: '{\n\t"model": "opus"\n}\n',
  'lines of Windows': '{\r\n  "model": "opus"\r\n}\r\n',
  'one line': '{"model":"opus","permissions":{"allow":["Bash"]}}',
  'hooks of others': `{\n  "hooks": {\n    "PreToolUse": [{"matcher":"Bash","hooks":[${HAND}]}],\n    "New": [ {"hooks":[ ]} ]\n  },\n  "z": 0\n}\n`,
  'a list that is empty': '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
  'one line with hooks': `{"hooks":{"Stop":[{"hooks":[${HAND},${HAND}]}]}}`,
};

const SET_UPS = [SERVER, GUARDED].flatMap((server) => [
  { server, machine: CURL },
  { server, machine: NO_CURL },
]);

for (const [name, text] of Object.entries(TEXTS)) {
  for (const { server, machine } of SET_UPS) {
    test(`connected, connected again and undone (${name}, ${server.origin}, curl: ${machine.hasCurl})`, () => {
      const { text: once, changes } = connected(text, server, machine);
      assert.deepEqual(
        changes.map(({ kind, name }) => [kind, name]),
        [...handlersFor(server, machine).keys()].map((event) => ['add', event]),
      );
      for (const [event, handler] of handlersFor(server, machine))
        assert.deepEqual(read(once).hooks[event]!.at(-1), { hooks: [handler] });
      const { hooks: before = {}, ...rest } = read(text);
      const { hooks: after, ...restAfter } = read(once);
      assert.deepEqual(restAfter, rest);
      for (const [event, groups] of Object.entries(before))
        assert.deepEqual(after[event]!.slice(0, groups.length), groups);
      assert.deepEqual(connected(once, server, machine), { text: once, changes: [] });
      const undone = disconnected(once);
      if (name === 'none yet' || name === 'an empty object over lines')
        assert.deepEqual(read(undone.text), {});
      // An empty list has the same meaning as no list.
      else if (name === 'a list that is empty') assert.equal(undone.text, '{}\n');
      else assert.equal(undone.text, text);
      assert.ok(undone.changes.every(({ kind }) => kind === 'remove'));
      assert.deepEqual(disconnected(undone.text), { text: undone.text, changes: [] });
    });
  }
}

test('each hook is connected as the contract says, by a handler that holds no token', () => {
  assert.ok(ROUTES.routes.some(({ path, methods }) => path === HOOK_PATH && methods.includes('POST')));
  for (const { server, machine } of SET_UPS) {
    const handlers = handlersFor(server, machine);
    for (const [event, type] of Object.entries(RECIPE.hooks.events))
      assert.equal(handlers.get(event)?.type, machine.hasCurl ? 'command' : type, event);
    assert.equal(handlers.size, Object.keys(RECIPE.hooks.events).length);
    assert.equal(handlers.has('WorktreeCreate'), false);
    for (const handler of handlers.values()) assert.ok(CLAUDE_HOOKS.isOwn(handler));
  }
  assert.deepEqual(handlersFor(SERVER, NO_CURL).get('Stop'), {
    type: 'http',
    url: URL_OF(SERVER),
    timeout: 2,
  });
  assert.deepEqual(handlersFor(GUARDED, NO_CURL).get('Stop'), {
    type: 'http',
    url: URL_OF(GUARDED),
    headers: { Authorization: `Bearer $${TOKEN_VARIABLE}` },
    allowedEnvVars: [TOKEN_VARIABLE],
    timeout: 2,
  });
});

test('another server replaces the previous one completely', () => {
  const first = connected(TEXTS['hooks of others']!, SERVER).text;
  const { text, changes } = connected(first, GUARDED);
  assert.equal(text.includes(URL_OF(SERVER)), false);
  assert.deepEqual(text, connected(TEXTS['hooks of others']!, GUARDED).text);
  const events = handlersFor(SERVER, CURL).size;
  for (const kind of ['add', 'remove'])
    assert.equal(changes.filter((change) => change.kind === kind).length, events);
});

/** Settings of earlier versions: HTTP hooks, and commands that send in the background. */
function earlier(text: string, server: ServerAddress): string {
  const handlers = new Map<string, unknown>(handlersFor(server, NO_CURL));
  const command = earlierCommandOf({ url: URL_OF(server), token_file: server.token_file });
  for (const event of ['SessionStart', 'Setup'])
    handlers.set(event, { type: 'command', command, timeout: 5 });
  return withHooks(text, CLAUDE_HOOKS, handlers, server.origin).text;
}

for (const [name, text] of Object.entries(TEXTS)) {
  for (const server of [SERVER, GUARDED]) {
    test(`hooks of an earlier version are replaced and undone (${name}, ${server.origin})`, () => {
      const before = earlier(text, server);
      for (const next of [SERVER, GUARDED]) {
        const edit = connected(before, next);
        assert.deepEqual(read(edit.text), read(connected(text, next).text));
        assert.ok(edit.changes.every(({ kind }) => kind === 'add' || kind === 'remove'));
      }
      assert.deepEqual(disconnected(before).text, disconnected(connected(text, server).text).text);
    });
  }
}

test('a repeated hook is present once afterwards', () => {
  const { Stop } = read(connected('{}', SERVER).text).hooks;
  const { text } = connected(JSON.stringify({ hooks: { Stop: [...Stop!, ...Stop!] } }), SERVER);
  assert.deepEqual(read(text).hooks.Stop, Stop);
});

const CHANGES: Readonly<Record<string, (handler: Handler) => unknown>> = {
  timeout: (handler) => ({ ...handler, timeout: 30 }),
  'a key of its own': (handler) => ({ ...handler, statusMessage: 'sending' }),
  'a longer limit': (handler) => ({
    ...handler,
    command: String(handler.command).replace('--max-time 1', '--max-time 3'),
  }),
  'another header': (handler) => ({ ...handler, headers: { 'x-team': 'a' } }),
};
for (const [name, change] of Object.entries(CHANGES)) {
  test(`hooks changed by hand are neither doubled nor removed (${name})`, () => {
    const settings = read(connected('{}', SERVER).text);
    const byHand = { ...settings, hooks: { ...settings.hooks } } as { hooks: Record<string, unknown> };
    byHand.hooks.Stop = [{ hooks: settings.hooks.Stop![0]!.hooks.map(change) }];
    const text = JSON.stringify(byHand);
    const again = connected(text, SERVER);
    assert.equal(again.text, text);
    assert.deepEqual(
      again.changes.map(({ kind, name }) => [kind, name]),
      [['keep', 'Stop']],
    );
    const undone = disconnected(text);
    assert.deepEqual(read(undone.text), { hooks: { Stop: byHand.hooks.Stop } });
    assert.equal(undone.changes.at(-1)!.kind, 'keep');
  });
}

test('a handler next to others is removed alone', () => {
  const own = handlersFor(SERVER, CURL).get('Stop');
  const text = `{"hooks":{"Stop":[{"matcher":"*","hooks":[${HAND},${JSON.stringify(own)},${HAND}]}]}}`;
  assert.equal(disconnected(text).text, `{"hooks":{"Stop":[{"matcher":"*","hooks":[${HAND},${HAND}]}]}}`);
});

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ['not_json', '{"a":1,}', /is not JSON: .*/],
  ['not_json', '// settings\n{}', /is not JSON/],
  ['not_json', '\u{feff}{}', /is not JSON/],
  ['shape', '[]', /no JSON object/],
  ['shape', 'null', /no JSON object/],
  ['shape', '{"hooks":[]}', /"hooks" that is no object/],
  ['shape', '{"hooks":{"Stop":{}}}', /"hooks" for "Stop"/],
  ['shape', '{"hooks":{"Stop":[{}]}}', /"hooks" for "Stop"/],
  ['shape', '{"hooks":{"Stop":[null]}}', /"hooks" for "Stop"/],
  ['twice', '{"hooks":{},"hooks":{}}', /the key "hooks" twice/],
  ['twice', '{"hooks":{"Stop":[],"St\\u006fp":[]}}', /the key "Stop" twice/],
  ['twice', '{"hooks":{"Stop":[{"hooks":[],"hooks":[]}]}}', /the key "hooks" twice/],
];
for (const [code, text, message] of BROKEN) {
  test(`a text that cannot be edited safely is an error: ${text}`, () => {
    for (const edit of [() => connected(text, SERVER), () => disconnected(text)])
      assert.throws(edit, (error: SettingsError) => error.code === code && message.test(error.message));
  });
}
