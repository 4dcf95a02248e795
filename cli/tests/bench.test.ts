/** Tests `twin-ingest bench` in a checkout: which servers it needs, its flags, and a run that Ctrl-C ends. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { missingServer } from '../src/bench/servers.ts';
import type { Facts } from '../src/launch/runtime.ts';
import { run, start } from './run-script.ts';

const SOURCE = '@twin-ingest/server-linux-x64';
const FACTS: Facts = {
  requested: null,
  node: '24.21.0',
  napi: 10,
  rust: { source: SOURCE, isInstalled: true, platform: 'linux-x64' },
  isTypeScriptBuilt: true,
};
const OLD = { node: '20.20.2', napi: 9 };
const WITHOUT_RUST = { rust: { ...FACTS.rust, isInstalled: false } };

const CASES: readonly (readonly [string, Partial<Facts>, TargetName | null, string | null])[] = [
  ['both servers', {}, null, null],
  [
    'Node 20',
    OLD,
    null,
    'the TypeScript server needs Node.js 22.15 or newer; install it, this is Node.js 20.20.2',
  ],
  [
    'Node 20, Rust alone',
    OLD,
    'rs',
    'the measurement needs Node.js 22.15 or newer; install it, this is Node.js 20.20.2',
  ],
  [
    'no Rust server',
    WITHOUT_RUST,
    null,
    `${SOURCE} is not installed; --only node measures the TypeScript server alone`,
  ],
  ['no Rust server, TypeScript alone', WITHOUT_RUST, 'ts', null],
  ['no TypeScript server', { isTypeScriptBuilt: false }, null, 'the TypeScript server is not built'],
  ['no TypeScript server, Rust alone', { isTypeScriptBuilt: false }, 'rs', null],
];

for (const [what, facts, only, wanted] of CASES) {
  test(`bench needs what it measures: ${what}`, () => {
    assert.equal(missingServer({ ...FACTS, ...facts }, only), wanted);
  });
}

test('bench reports every wrong flag', async () => {
  await inTree({}, async (cwd) => {
    const flags = ['bench', '--only', 'go', '--rounds', '0', '--events', '1e9', 'x'];
    const { code, stdout, stderr } = await run('main', flags, { cwd });
    assert.deepEqual(
      [code, stdout, stderr],
      [
        2,
        '',
        [
          'bench: unexpected argument x',
          'bench: --only must be rust or node',
          'bench: --rounds must be an integer from 1 to 20, not 0',
          'bench: --events must be an integer from 2000 to 10000000, not 1e9',
          '',
        ].join('\n'),
      ],
    );
  });
});

for (const signal of ['SIGINT', 'SIGHUP'] as const) {
  test(`${signal} prints what bench has measured, and leaves no folder`, async () => {
    await inTree({}, async (cwd) => {
      const flags = ['bench', '--only', 'rust', '--rounds', '1', '--events', '2000'];
      const { child, said, ended } = start('main', flags, { cwd, env: { TMPDIR: cwd } });
      await said(/^starts: 8 a server$/m);
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      assert.equal(code, 130, stderr);
      assert.match(stdout, /^PARTIAL: the run was interrupted/);
      assert.match(stdout, /Start \(spawn to ready\) .* ms/);
      assert.match(stderr, /\nbench: interrupted\n$/);
      assert.deepEqual(readdirSync(cwd), []);
    });
  });
}
