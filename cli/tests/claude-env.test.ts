/**
 * Tests the `env` of Claude Code's settings: added with the hooks, removed again, and never in place of the user's own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectedClaude, disconnectedClaude } from '../src/connect/claude-code.ts';
import { telemetryEnv } from '../src/connect/claude-env.ts';

const SERVER = { origin: 'http://127.0.0.1:3141', token_file: null };
const OTHER = { origin: 'http://localhost:4000', token_file: null };
const connected = (text: string, server: typeof SERVER, env: Record<string, string> = {}) =>
  connectedClaude(text, server, { env, hasCurl: true });
const envOf = (text: string) => (JSON.parse(text) as { env?: Record<string, unknown> }).env;
const kinds = (changes: readonly { readonly kind: string; readonly name: string }[], kind: string) =>
  changes
    .filter((change) => change.kind === kind && /OTEL|TELEMETRY/.test(change.name))
    .map(({ name }) => name);
const NAMES = telemetryEnv(SERVER.origin).map(([name]) => name);

const TEXTS: Readonly<Record<string, string>> = {
  'no env': '{\n    "model": "opus",\n    "n": 1.50\n}\n',
  'an env of others': '{\n\t"env": { "A": "1",\t"B": "2" },\n\t"z": [ ]\n}',
  'metrics that go elsewhere':
    '{"env":{"CLAUDE_CODE_ENABLE_TELEMETRY":"1","OTEL_METRICS_EXPORTER":"otlp","OTEL_EXPORTER_OTLP_ENDPOINT":"https://a"}}',
  'hooks of others': '{\r\n  "hooks": {"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}\r\n}\r\n',
};

for (const [name, text] of Object.entries(TEXTS)) {
  test(`telemetry is connected, connected again, moved and undone (${name})`, () => {
    const once = connected(text, SERVER);
    const before = envOf(text) ?? {};
    assert.deepEqual(envOf(once.text), { ...before, ...Object.fromEntries(telemetryEnv(SERVER.origin)) });
    assert.deepEqual(
      kinds(once.changes, 'add'),
      NAMES.filter((variable) => before[variable] === undefined),
    );
    assert.deepEqual(connected(once.text, SERVER), { text: once.text, changes: [] });
    const moved = connected(once.text, OTHER);
    assert.equal(moved.text, connected(text, OTHER).text);
    assert.equal(disconnectedClaude(once.text).text, text);
    assert.equal(disconnectedClaude(moved.text).text, text);
  });
}

const CONFLICTS: readonly (readonly [
  name: string,
  env: Record<string, string>,
  outside: Record<string, string>,
])[] = [
  ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://a/v1/logs' }, {}],
  ['OTEL_EXPORTER_OTLP_LOGS_PROTOCOL', { OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'grpc' }, {}],
  ['OTEL_LOGS_EXPORTER', { OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a' }, {}],
  ['CLAUDE_CODE_ENABLE_TELEMETRY', { CLAUDE_CODE_ENABLE_TELEMETRY: '0' }, {}],
  ['OTEL_LOGS_EXPORTER', {}, { OTEL_LOGS_EXPORTER: 'console' }],
];
for (const [name, env, outside] of CONFLICTS) {
  test(`a user's own ${name} is shown and left: ${JSON.stringify([env, outside])}`, () => {
    const { text, changes } = connected(JSON.stringify({ env }), SERVER, outside);
    assert.deepEqual(envOf(text), env);
    assert.ok(kinds(changes, 'conflict').includes(name));
    assert.deepEqual(kinds(changes, 'add'), []);
    // Hooks do not depend on telemetry.
    assert.ok(changes.some((change) => change.kind === 'add' && change.name === 'Stop'));
  });
}

test('variables for a server without our hooks in the file stay as the user’s own', () => {
  const text = JSON.stringify({ env: Object.fromEntries(telemetryEnv('http://127.0.0.1:4318')) });
  assert.deepEqual(disconnectedClaude(text), { text, changes: [] });
  assert.deepEqual(envOf(connected(text, SERVER).text), envOf(text));
});

test('a repeated variable, and an env that is not an object, are errors', () => {
  assert.throws(() => connected('{"env":{"A":"1","A":"2"}}', SERVER), { code: 'twice' });
  assert.throws(() => connected('{"env":[]}', SERVER), { code: 'shape' });
});
