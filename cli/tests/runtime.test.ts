/** Tests which server `twin-ingest` starts, and how it splits its command line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataFolder, parseLaunch } from '../src/launch/options.ts';
import { chooseRuntime, type Facts } from '../src/launch/runtime.ts';

const SOURCE = '@twin-ingest/server-linux-x64';
const FACTS: Facts = {
  requested: null,
  node: '24.21.0',
  napi: 10,
  rust: { source: SOURCE, isInstalled: true, platform: 'linux-x64' },
  isTypeScriptBuilt: true,
};
const WITHOUT_RUST = { ...FACTS.rust, isInstalled: false };
const BUILT_BEFORE = {
  source: 'target/release/ingest-server',
  isInstalled: false,
  platform: 'linux-x64',
  build: 'stale',
} as const;
const ON_FREEBSD = { source: null, isInstalled: false, platform: 'freebsd-x64' };

const CHOICES: readonly (readonly [string, Partial<Facts>, string | RegExp])[] = [
  [
    'Rust where it is installed',
    {},
    'rs: from @twin-ingest/server-linux-x64 (--runtime node starts the other)',
  ],
  [
    'Rust on an old Node',
    { node: '20.20.2', napi: 9 },
    'rs: from @twin-ingest/server-linux-x64 (--runtime node starts the other)',
  ],
  ['Rust on request', { requested: 'rust' }, 'rs: --runtime rust, from @twin-ingest/server-linux-x64'],
  ['TypeScript without Rust', { rust: WITHOUT_RUST }, `ts: ${SOURCE} is not installed`],
  ['TypeScript without a package', { rust: ON_FREEBSD }, 'ts: there is no Rust server for freebsd-x64'],
  [
    'TypeScript where the build of Rust is old',
    { rust: BUILT_BEFORE },
    'ts: target/release/ingest-server is older than its sources (--runtime rust builds it)',
  ],
  [
    'TypeScript without a build of Rust',
    { rust: { ...BUILT_BEFORE, build: 'missing' } },
    'ts: target/release/ingest-server is not built (--runtime rust builds it)',
  ],
  [
    'a build of Rust on request',
    { requested: 'rust', rust: BUILT_BEFORE },
    'rs: --runtime rust, from target/release/ingest-server',
  ],
  ['TypeScript on request', { requested: 'node' }, 'ts: --runtime node'],
  ['the oldest Node', { requested: 'node', node: '22.15.0' }, 'ts: --runtime node'],
  [
    'a Node before that',
    { requested: 'node', node: '22.13.1', napi: 9 },
    'none: --runtime node needs Node.js 22.15 or newer; install it, this is Node.js 22.13.1',
  ],
  [
    'neither server',
    { rust: WITHOUT_RUST, node: '20.20.2', napi: 9 },
    `none: ${SOURCE} is not installed, and the TypeScript server needs Node.js 22.15 or newer; install it, this is Node.js 20.20.2`,
  ],
  [
    'no Rust on request',
    { requested: 'rust', rust: ON_FREEBSD },
    'none: --runtime rust needs the Rust server, but there is no Rust server for freebsd-x64',
  ],
  ['no build', { requested: 'node', isTypeScriptBuilt: false }, 'none: the TypeScript server is not built'],
];

for (const [what, facts, wanted] of CHOICES) {
  test(`chooseRuntime chooses ${what}`, () => {
    const choice = chooseRuntime({ ...FACTS, ...facts });
    const text = choice.kind === 'run' ? `${choice.target}: ${choice.why}` : `none: ${choice.message}`;
    if (typeof wanted === 'string') assert.equal(text, wanted);
    else assert.match(text, wanted);
  });
}

test('the server gets all flags that are not of the command, and the database in the folder of data', () => {
  const parsed = parseLaunch(['--runtime=node', '--port', '0', '--no-open'], {}, '/data');
  assert.deepEqual(parsed, {
    kind: 'run',
    options: {
      runtime: 'node',
      open: false,
      flags: ['--port', '0', '--db', '/data/events.db'],
      db: '/data/events.db',
      isCommand: false,
    },
  });
});

test('a database of the user is not replaced', () => {
  for (const [argv, env, db] of [
    [['--db', 'a.db'], {}, 'a.db'],
    [['--db=b.db'], {}, 'b.db'],
    [[], { INGEST_DB: 'c.db' }, 'c.db'],
    [['--db'], {}, '/data/events.db'],
  ] as const) {
    const parsed = parseLaunch(argv, env, '/data');
    assert.ok(parsed.kind === 'run');
    assert.equal(parsed.options.db, db);
    assert.deepEqual(parsed.options.flags, argv);
  }
});

test('a command of the server gets --db only when it takes one', () => {
  const flagsOf = (...argv: string[]) => {
    const parsed = parseLaunch(argv, {}, '/data');
    return parsed.kind === 'run' && parsed.options.isCommand ? parsed.options.flags : null;
  };
  assert.deepEqual(flagsOf('dump'), ['dump', '--db', '/data/events.db']);
  assert.deepEqual(flagsOf('verify', 'x.db'), ['verify', 'x.db']);
  assert.equal(flagsOf('--port', '0'), null);
});

test('every problem of the flags of the command is reported', () => {
  assert.deepEqual(parseLaunch(['--runtime', 'go', '--runtime'], {}, '/data'), {
    kind: 'wrong',
    problems: ['--runtime must be rust or node, not "go"', '--runtime must be rust or node, not ""'],
  });
  assert.deepEqual(parseLaunch(['--runtime', 'rust', '--runtime=node'], {}, '/data'), {
    kind: 'wrong',
    problems: ['--runtime is given twice'],
  });
});

test('each platform has its folder of data', () => {
  assert.equal(dataFolder({ HOME: '/h' }, 'linux'), '/h/.local/share/twin-ingest');
  assert.equal(dataFolder({ HOME: '/h', XDG_DATA_HOME: '/x' }, 'linux'), '/x/twin-ingest');
  assert.equal(dataFolder({ HOME: '/h' }, 'darwin'), '/h/Library/Application Support/twin-ingest');
});
