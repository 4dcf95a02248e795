/** Tests adding and removing an exporter in Codex's config.toml: every other byte stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { exporterLine, withExporter, withoutExporter } from '../src/connect/codex-otel.ts';

const SERVER = { origin: 'http://127.0.0.1:3141', token_file: null };
const OTHER = { origin: 'https://[::1]:8443', token_file: '/t' };
const WANTED = { 'otlp-http': { endpoint: 'http://127.0.0.1:3141/v1/logs', protocol: 'json' } };
/** Returns the table `otel` without the prototypes of the parser's tables. */
const otelOf = (text: string) =>
  JSON.parse(JSON.stringify(parse(text).otel ?? {})) as Record<string, unknown>;

const TEXTS: Readonly<Record<string, string>> = {
  empty: '',
  'a line': 'model = "gpt-5"\n',
  'no last line end': 'model   =  "gpt-5" # mine',
  'lines of Windows': '# settings\r\nmodel = "gpt-5"\r\n\r\n[tui]\r\nx = 0x10\r\n',
  'empty lines at the end': 'a = 1_000\n\n\n',
  'a table of others': '[otel]\nenvironment = "prod"\n\n[z]\nd = 2026-01-01T00:00:00Z\n',
  'a table with a remark, at the end': 'a = 1\n  [ otel ] # mine',
  'tables below it': '[otel.span_attributes]\nteam = "a"\n\n[[x]]\ny = 1\n',
  'a text that looks like it': 'a = """\n[other]\n"""\n',
};

for (const [name, text] of Object.entries(TEXTS)) {
  test(`an exporter is connected, connected again, moved and undone (${name})`, () => {
    const once = withExporter(text, SERVER);
    assert.deepEqual(
      once.changes.map(({ kind }) => kind),
      ['add'],
    );
    assert.deepEqual(otelOf(once.text), { ...otelOf(text), exporter: WANTED });
    for (const line of text.split('\n')) assert.ok(once.text.includes(line));
    assert.deepEqual(withExporter(once.text, SERVER), { text: once.text, changes: [] });
    const moved = withExporter(once.text, OTHER);
    assert.equal(moved.text, withExporter(text, OTHER).text);
    assert.deepEqual(
      moved.changes.map(({ kind }) => kind),
      ['remove', 'add'],
    );
    assert.equal(withoutExporter(once.text).text, text);
    assert.deepEqual(withoutExporter(text), { text, changes: [] });
  });
}

const OWN: Readonly<Record<string, string>> = {
  'another collector':
    '[otel]\nexporter = { otlp-http = { endpoint = "https://a/v1/logs", protocol = "binary" } }\n',
  'switched off': 'otel.exporter = "none"\n',
  'gRPC in a table of its own': '[otel.exporter.otlp-grpc]\nendpoint = "http://a:4317"\n',
};
for (const [name, text] of Object.entries(OWN)) {
  test(`a user's own exporter is shown and kept (${name})`, () => {
    const edit = withExporter(text, SERVER);
    assert.equal(edit.text, text);
    assert.deepEqual(
      edit.changes.map(({ kind }) => kind),
      ['conflict'],
    );
    assert.deepEqual(withoutExporter(text), { text, changes: [] });
  });
}

test("an exporter that the user copied counts as connected and stays the user's", () => {
  const text = `[otel]\n${exporterLine(SERVER.origin)}\n`;
  assert.deepEqual(withExporter(text, SERVER), { text, changes: [] });
  assert.deepEqual(withoutExporter(text), { text, changes: [] });
});

/** Our exporter as Codex or another program writes it. */
const ANEW: Readonly<Record<string, (line: string, endpoint: string) => string>> = {
  'without remarks': (line) => `a = 1\n\n[otel]\n${line}\n`,
  'in other quotes and another order': (_, endpoint) =>
    `[otel]\nexporter = {otlp-http={protocol='json',endpoint='${endpoint}'}}\n[z]\nb = 1\n`,
  'as a table': (_, endpoint) =>
    `[otel.exporter.otlp-http]\nprotocol = "json"\nendpoint = "${endpoint}"\n\n[z]\nendpoint = "x"\n`,
  'as a table of tables': (_, endpoint) =>
    `[otel]\nenvironment = "prod"\n\n[otel.exporter]\n\n[otel.exporter."otlp-http"]\nendpoint = '${endpoint}'\nprotocol = 'json'`,
  'by keys with dots': (_, endpoint) =>
    `[otel]\r\nexporter.otlp-http.endpoint = "${endpoint}"\r\nexporter.otlp-http.protocol = "json"\r\nlog_user_prompt = true\r\n`,
  'at the top, above a text that looks like a table': (_, endpoint) =>
    `otel.exporter.otlp-http = { endpoint = "${endpoint}", protocol = "json" }\na = """\n[otel]\n"""\n`,
};
/** Returns a text as plain values, without its exporter and without a table `otel` that is then empty. */
function otherValues(text: string): unknown {
  const { otel, ...others } = JSON.parse(JSON.stringify(parse(text))) as Record<string, unknown>;
  const { exporter: _, ...rest } = (otel ?? {}) as Record<string, unknown>;
  return { ...others, ...(Object.keys(rest).length === 0 ? {} : { otel: rest }) };
}
for (const [name, write] of Object.entries(ANEW)) {
  test(`our exporter is recognised by its value: ${name}`, () => {
    const isOwn = (origin: string) => origin === SERVER.origin;
    const textFor = (origin: string) => write(exporterLine(origin), `${origin}/v1/logs`);
    const text = textFor(SERVER.origin);
    assert.deepEqual(withExporter(text, SERVER, isOwn), { text, changes: [] });
    const undone = withoutExporter(text, isOwn);
    assert.deepEqual(undone.changes, [
      { kind: 'remove', name: 'otel.exporter', value: `otlp-http ${SERVER.origin}/v1/logs` },
    ]);
    assert.equal(otelOf(undone.text).exporter, undefined);
    assert.deepEqual(otherValues(undone.text), otherValues(text));
    // Another server, and another value, are the user's.
    for (const own of [textFor('http://127.0.0.1:4318'), text.replaceAll(/\bjson\b/g, 'binary')])
      assert.deepEqual(withoutExporter(own, isOwn), { text: own, changes: [] });
    // A table cannot follow a text that looks like it.
    if (name.startsWith('at the top')) return;
    const moved = withExporter(text, OTHER, isOwn);
    assert.deepEqual(
      moved.changes.map(({ kind }) => kind),
      ['remove', 'add'],
    );
    assert.deepEqual(otelOf(moved.text).exporter, {
      'otlp-http': { endpoint: `${OTHER.origin}/v1/logs`, protocol: 'json' },
    });
  });
}

test('an exporter in a notation that cannot be edited safely is an error', () => {
  const text = `otel = { a = 1, ${exporterLine(SERVER.origin)} }\n`;
  assert.throws(() => withoutExporter(text, () => true), { code: 'shape', message: /remove otel\.exporter/ });
});

test('a line changed by hand is kept', () => {
  const text = withExporter('', SERVER).text.replace('protocol = "json"', 'protocol = "binary"');
  for (const edit of [withExporter(text, SERVER), withoutExporter(text)])
    assert.deepEqual([edit.text, edit.changes.map(({ kind }) => kind)], [text, ['keep']]);
});

test('lines of others below our header keep their table', () => {
  const text = `${withExporter('a = 1\n', SERVER).text}log_user_prompt = true\n`;
  const undone = withoutExporter(text).text;
  assert.deepEqual(otelOf(undone), { log_user_prompt: true });
  assert.ok(undone.startsWith('a = 1\n\n[otel]'));
});

test('a text that cannot be edited safely is an error', () => {
  assert.throws(() => withExporter('a = ', SERVER), { code: 'not_toml' });
  assert.throws(() => withoutExporter('[a]\n[a]\n'), { code: 'not_toml' });
  // A table cannot follow a dotted key or an inline table; a header inside a string is not a header.
  for (const text of ['otel.environment = "x"\n', 'otel = { environment = "x" }\n', 'a = """\n[otel]\n"""\n'])
    assert.throws(() => withExporter(text, SERVER), {
      code: 'shape',
      message: /add this to it yourself: exporter = /,
    });
});
