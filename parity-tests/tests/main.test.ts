/**
 * Tests the command line, the metadata scanner, and the whole runner against a server whose answers are all wrong.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { itemSpans, memberText, metadataOfRows } from '@twin-ingest/testkit/events/metadata-span.ts';
import { answering, listen } from '@twin-ingest/testkit/servers/tcp-server.ts';
import { SCENARIO_FILES } from '../scenarios/index.ts';
import { parseOptions } from '../src/options.ts';
import { sideBySide } from '../src/side-by-side.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test('flags are parsed, and a bare -- is ignored', () => {
  const parsed = parseOptions(['--', '--target', 'ts', '--kills', '50', '--seed=7'], {});
  assert.equal(parsed.kind, 'options');
  if (parsed.kind !== 'options') return;
  const { targets, kills, seed, requests } = parsed.options;
  assert.deepEqual(
    { targets, kills, seed, requests },
    { targets: ['ts'], kills: 50, seed: 7, requests: 800 },
  );
});

test('every wrong flag is explained', () => {
  const problems = (...argv: readonly string[]): readonly string[] => {
    const parsed = parseOptions(argv, {});
    return parsed.kind === 'wrong' ? parsed.problems : [];
  };
  assert.deepEqual(problems('--target', 'go', '--kills', '0', '--base-url', 'http://example.org'), [
    '--target must be rs or ts, not go',
    '--base-url must be http://127.0.0.1:PORT or http://localhost:PORT, not http://example.org',
    '--base-url and --target exclude each other',
    '--kills must be a whole number of at least 1, not 0',
  ]);
  assert.deepEqual(problems('--cases', '--faults'), ['--cases and --faults exclude each other']);
  assert.equal(problems('--nothing').length, 1);
  assert.equal(problems('stray').length, 1);
});

test('the corpus and the hook payloads may come from the environment', () => {
  const corpusOf = (argv: readonly string[], env: Record<string, string>): string | undefined => {
    const parsed = parseOptions(argv, env);
    return parsed.kind === 'options' ? parsed.options.corpus : 'wrong';
  };
  assert.equal(corpusOf([], { TWIN_CORPUS: 'a' }), 'a');
  assert.equal(corpusOf(['--corpus', 'b'], { TWIN_CORPUS: 'a' }), 'b');
  assert.equal(corpusOf([], { TWIN_CORPUS: '' }), undefined);
  const parsed = parseOptions([], { TWIN_HOOKS: 'c' });
  assert.equal(parsed.kind === 'options' && parsed.options.hooks, 'c');
});

test('every scenario has a unique name and names its rules', () => {
  const names = SCENARIO_FILES.flatMap((file) => file.scenarios.map((one) => `${file.name}/${one.name}`));
  assert.equal(new Set(names).size, names.length);
  for (const file of SCENARIO_FILES)
    for (const one of file.scenarios) assert.ok(one.rules.length > 0, one.name);
});

test('metadata is extracted byte for byte', () => {
  const row = '{"id":1,"session_id":"a\\"}","metadata": {"k" :[1.0,\n"]}\\\\" ] } }';
  assert.equal(memberText(row, 'metadata'), '{"k" :[1.0,\n"]}\\\\" ] }');
  assert.equal(memberText('{"a":1,"\\u0061":2 }', 'a'), '2');
  assert.equal(memberText('{}', 'a'), undefined);
  assert.deepEqual(itemSpans('[ 1 , "]" ,{"a":[]},[[]] ]'), ['1', '"]"', '{"a":[]}', '[[]]']);
  assert.deepEqual(metadataOfRows('{"events":[{"metadata":"x"},{"metadata":1e400}],"next":null}'), [
    '"x"',
    '1e400',
  ]);
});

test('two columns stay aligned', () => {
  assert.deepEqual(sideBySide(['a'.repeat(25)], ['b', 'c'], 43), [
    `${'a'.repeat(20)} | b`,
    `${'a'.repeat(5)}${' '.repeat(15)} |`,
    `${' '.repeat(20)} | c`,
  ]);
});

test('a server with wrong answers fails the run, with the exchange side by side', async () => {
  const server = await listen(answering('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
  const run = await runMain('--base-url', `http://127.0.0.1:${server.port}`, '--only', '00-health');
  await server.close();
  assert.equal(run.code, 1, run.stderr);
  assert.match(run.stdout, /✗ 00-health\/the server is alive {2}\[base-url\] {2}HEA-02/);
  assert.match(run.stdout, /EXPECTED +\| GOT\n +200 +\| 404\n/);
  assert.match(run.stdout.trimEnd().split('\n').at(-1)!, /^\d+ passed, [1-9]\d* failed, \d+ skipped$/);
});

test('cases that a running server cannot serve are listed with their reason', async () => {
  const server = await listen(answering('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
  const run = await runMain('--base-url', `http://127.0.0.1:${server.port}`, '--only', 'scenarios/start');
  await server.close();
  assert.equal(run.code, 0, run.stdout);
  assert.match(run.stdout, /\[base-url\] starts and stops servers of its own\n {4}scenarios\/start\//);
});

test('a filter that matches nothing is a failure', async () => {
  const run = await runMain('--base-url', 'http://127.0.0.1:1', '--only', 'no such name');
  assert.equal(run.code, 1);
  assert.match(run.stdout, /no case and no scenario has this in its name/);
});

test('a wrong flag is exit 2', async () => {
  const run = await runMain('--tagret', 'rs');
  assert.equal(run.code, 2);
  assert.match(run.stderr, /--tagret/);
});

test('a server that is not built is exit 2 with the build command', async () => {
  const run = await runMain('--target', 'rs', { CARGO_TARGET_DIR: '/nonexistent' });
  assert.equal(run.code, 2);
  assert.match(run.stderr, /is not built: run pnpm rust:build/);
});

async function runMain(...args: readonly (string | Record<string, string>)[]) {
  const flags = args.filter((one) => typeof one === 'string');
  const env = Object.assign({}, process.env, ...args.filter((one) => typeof one !== 'string'));
  const child = spawn(process.execPath, [MAIN, ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...out };
}
