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
