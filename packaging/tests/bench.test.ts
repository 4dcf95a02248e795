/** Tests `twin-ingest bench` as a user installs it: from the cache of npm, next to the command, and not at all. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Home } from './registry/home.ts';
import { type Installation, startInstallation, WITHOUT_RUST } from './registry/installation.ts';

/** The smallest comparison. */
const TINY = ['bench', '--rounds', '1', '--events', '2000'];
const PROGRAM = 'node_modules/twin-ingest/bin/twin-ingest.js';
/** Nothing listens on this port. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };

let installation: Installation;
before(async () => {
  installation = await startInstallation();
});
after(async () => await installation?.remove());

/** Installs packages in a new home; returns it, and the path of the command. */
async function installed(packages: readonly string[], home: Home): Promise<string> {
  const { code, stderr } = await home.npm('install', ...packages);
  assert.equal(code, 0, stderr);
  return join(home.path, PROGRAM);
}

/** Folders of temporary files that a command left. */
function left(home: Home): string[] {
  return readdirSync(home.temporary).filter((name) => name.startsWith('twin-ingest-'));
}

test('npx twin-ingest bench gets its package, compares both servers, and ends with the answer', async () => {
  const home = installation.newHome('node24');
  const { code, stdout, stderr } = await home.npx(...TINY);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^bench: npm gets @twin-ingest\/bench@\d+\.\d+\.\d+, which it keeps in its cache\n/m);
  assert.match(stderr, /\nThis takes about \d+ s\.\n/);
  assert.match(stdout, /^- Version: twin-ingest \d+\.\d+\.\d+$/m);
  for (const label of ['CPU per event, 10,000/s', 'Throughput', 'Idle RSS', 'Deployed size'])
    assert.ok(stdout.includes(`│ ${label}`), label);
  assert.match(
    stdout,
    /\nWhich server\n─+\n[\s\S]*\n- You ask "Node or Rust\?": [^-]*At saturation[^-]*\.\n$/,
  );
  assert.doesNotMatch(stdout + stderr, /pnpm|commit/);
  assert.deepEqual([home.processes(), left(home)], [[], []]);
});

test('an installed package measures one server alone, and prints JSON', async () => {
  const home = installation.newHome('node22', WITHOUT_RUST);
  const program = await installed(['twin-ingest', '@twin-ingest/bench'], home);
  const both = await home.node(program, ...TINY);
  assert.deepEqual([both.code, both.stdout], [1, '']);
  assert.match(
    both.stderr,
    /^bench: @twin-ingest\/server-\S+ is not installed; --only node measures the TypeScript server alone\n$/,
  );
  const { code, stdout, stderr } = await home.node(program, ...TINY, '--only', 'node', '--json');
  assert.equal(code, 0, stderr);
  const result = JSON.parse(stdout) as { servers: object; environment: { commit: unknown } };
  assert.deepEqual([Object.keys(result.servers), result.environment.commit], [['ts'], null]);
});

test('Ctrl-C prints what was measured so far, and ends every process', async () => {
  const home = installation.newHome('node24');
  const program = await installed(['twin-ingest', '@twin-ingest/bench'], home);
  const { code, stdout, stderr } = await home.interrupted(/^starts: 8 a server$/m, program, ...TINY);
  assert.equal(code, 130, stderr);
  assert.match(stdout, /^PARTIAL: the run was interrupted, and no result was written\..*\n/);
  assert.match(stdout, /│ Start \(spawn to ready\) +│/);
  assert.deepEqual([home.processes(), left(home)], [[], []]);
});

test('without a network bench says in one line how to get its package', async () => {
  const home = installation.newHome('node24');
  const program = await installed(['twin-ingest'], home);
  home.set(NO_REGISTRY);
  const { code, stdout, stderr } = await home.node(program, ...TINY);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(
    stderr,
    /\nbench: npm could not get it \(ECONNREFUSED\); with a network run npm install -g twin-ingest @twin-ingest\/bench\n$/,
  );
});

test('on Node 20 bench says in one line which Node it needs', async () => {
  const home = installation.newHome('node20');
  // npm prints warnings of an installation once.
  await home.npx('--version');
  const { code, stdout, stderr } = await home.npx(...TINY);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(
    stderr,
    /^bench: the TypeScript server needs Node\.js 22\.15 or newer; install it, this is Node\.js 20\.\d+\.\d+\n$/,
  );
});
