import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Config, helpText, parseConfig } from './index.ts';
import { fileFault } from './text-file.ts';

const TOKEN = 'a-token-of-24-characters';
const FILES: Readonly<Record<string, { text: string; mode: number }>> = {
  'token.txt': { text: ` ${TOKEN}\n`, mode: 0o100600 },
  'short.txt': { text: 'short', mode: 0o100600 },
  'open.txt': { text: TOKEN, mode: 0o100640 },
};
const readFile = (path: string) => FILES[path] ?? 'file_missing';

function problems(args: string[], env: Record<string, string> = {}): readonly string[] {
  const command = parseConfig(args, env, readFile);
  return command.kind === 'problems' ? command.problems : [];
}

function config(args: string[], env: Record<string, string> = {}): Config {
  const command = parseConfig(args, env, readFile);
  assert.equal(command.kind, 'run', JSON.stringify(command));
  return (command as { config: Config }).config;
}

test('the configuration has defaults, flags and variables', () => {
  assert.equal(config([]).port, 3141);
  assert.equal(config(['--port', '1'], { INGEST_PORT: '2' }).port, 1);
  assert.equal(config(['--port=1']).port, 1);
  assert.equal(config([], { INGEST_PORT: '2', INGEST_DB: '', OTHER: 'x' }).port, 2);
  assert.equal(config(['--', '--port', '5']).port, 5);
  assert.equal(config(['--host', 'localhost']).host, '127.0.0.1');
  assert.equal(config(['--token-file', 'token.txt', '--host', '0.0.0.0']).token, TOKEN);
  assert.deepEqual(config(['--allow-host', 'A.b', '--allow-host=c']).allowHosts, ['a.b', 'c']);
  assert.deepEqual(config([], { INGEST_ALLOW_ORIGINS: 'https://A.b, http://c:1' }).allowOrigins, [
    'https://a.b',
    'http://c:1',
  ]);
});

test('the parser reports every problem in the order of the contract', () => {
  assert.deepEqual(
    problems(
      [
        '--prt',
        '5',
        '--db',
        '--port',
        'x',
        '--port=7',
        '-q',
        '--help=1',
        '--queue-events',
        '5',
        '--host',
        '::',
      ],
      { INGEST_Z: '1', INGEST_A: '', INGEST_DURABILITY: 'full', INGEST_ALLOW_HOSTS: 'a/b,' },
    ),
    [
      'unknown flag --prt',
      'unexpected argument "5"',
      '--db needs a value',
      '--port is given twice',
      'unknown flag -q',
      '--help takes no value',
      'unknown environment variable INGEST_A',
      'unknown environment variable INGEST_Z',
      '--port must be an integer from 0 to 65535, not "x"',
      'INGEST_DURABILITY must be one of process, power, not "full"',
      'INGEST_ALLOW_HOSTS must be a host name or IP address, not "a/b"',
      'INGEST_ALLOW_HOSTS must not be empty',
      '--queue-events must be at least --max-batch-events (10000), not "5"',
      '--host "::" is not a loopback address and needs --token-file',
    ],
  );
});

test('values stay text until they are checked', () => {
  for (const text of ['-5', '5.0', '1e3', '0x10', ' 5', '65536', '99999999999999999']) {
    assert.deepEqual(problems([`--port=${text}`]), [
      `--port must be an integer from 0 to 65535, not ${JSON.stringify(text)}`,
    ]);
  }
  assert.deepEqual(problems(['--port', '-5']), ['--port must be an integer from 0 to 65535, not "-5"']);
  assert.deepEqual(problems(['--db=']), ['--db must not be empty']);
  assert.deepEqual(problems(['--host', 'example.org']), [
    '--host must be an IP address or localhost, not "example.org"',
  ]);
  assert.deepEqual(problems(['--token-file', 'short.txt']), [
    '--token-file "short.txt" must hold a token of at least 16 visible ASCII characters',
  ]);
  assert.deepEqual(problems(['--token-file', 'open.txt']), [
    '--token-file "open.txt" is open to other users; run `chmod 600` on it',
  ]);
  assert.deepEqual(problems(['--token-file', 'none']), ['--token-file "none" does not exist']);
});

test('a file of another user has its own message', () => {
  assert.equal(fileFault(Object.assign(new Error(), { code: 'EACCES' })), 'file_denied');
  assert.equal(fileFault(Object.assign(new Error(), { code: 'ETIMEDOUT' })), 'file_unreadable');
});

test('help and version take precedence over all other flags', () => {
  const help = { kind: 'print', text: helpText() };
  assert.deepEqual(parseConfig(['--what', '--version', '-h'], { INGEST_X: '1' }, readFile), help);
  const version = parseConfig(['-V', '--port', 'x'], {}, readFile);
  assert.match(
    (version as { text: string }).text,
    /^ingest-server \d+\.\d+\.\d+ \(contract \d+\.\d+\.\d+\)\n$/,
  );
});

test('help has one line per option, in columns', () => {
  const lines = helpText().split('\n');
  assert.equal(lines[0], 'Usage: ingest-server [COMMAND] [OPTIONS]');
  const port = lines.find((line) => line.startsWith('  --port PORT '))!;
  assert.match(
    port,
    / {2}TCP port; 0 takes any free one \[env: INGEST_PORT\] \[default: 3141\] \[range: 0 - 65535\]$/,
  );
  const columns = lines
    .filter((line) => line.startsWith('  -'))
    .map((line) => / {2}\S/.exec(line.slice(3))!.index);
  assert.equal(new Set(columns).size > 0 && lines.at(-1), '');
});
