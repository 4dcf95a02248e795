/** Tests import rules on made-up checkouts: each rule fails on what it forbids and passes on what it allows. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTree, type Tree } from '@twin-ingest/testkit/files/tree.ts';
import { checkImports } from '../check-imports.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const LAYERED: Tree = {
  'server-rs/src/lib.rs': 'pub mod http;\npub mod text;\n',
  'server-rs/src/text.rs': 'use crate::contract::LIMITS;\n',
  'server-rs/src/http/mod.rs':
    'use crate::app::App;\nuse crate::{store::Store, text};\n// use crate::main;\n',
  'server-ts/src/text.ts': "import { LIMITS } from './contract.ts';\n",
  'server-ts/src/text.test.ts': "import { App } from './app.ts';\n",
  'server-ts/src/http/index.ts':
    "import type { App } from '../app.ts';\nimport page from '../../../x.html';\n",
};

async function layerProblems(changed: Tree): Promise<string[]> {
  return await inTree({ ...LAYERED, ...changed }, checkImports);
}

test('downward imports are valid, and app and http may import each other', async () => {
  assert.deepEqual(await layerProblems({}), []);
});

for (const [path, text, problem] of [
  ['server-rs/src/text.rs', 'use crate::http::guard::Token;\n', 'text uses http, which is not below it'],
  ['server-rs/src/text.rs', 'use crate::{\n    number,\n};\n', 'text uses number, which is not below it'],
  [
    'server-rs/src/text.rs',
    'fn f() {\n    crate::store::f();\n}\n',
    'text uses store, which is not below it',
  ],
  ['server-ts/src/text.ts', "import './http/index.ts';\n", 'text uses http, which is not below it'],
  ['server-ts/src/text.ts', "await import('./store/lock.ts');\n", 'text uses store, which is not below it'],
  ['server-ts/src/store/lock.ts', "import '../app.ts';\n", 'store uses app, which is not below it'],
  ['server-rs/src/extra.rs', '', 'extra is in no layer'],
] as const) {
  test(`the layers refuse ${JSON.stringify(text)} in ${path}`, async () => {
    assert.deepEqual(await layerProblems({ [path]: text }), [`${path}: ${problem}`]);
  });
}

/** Returns the diagnostics of the import rules, as in `biome.json` of this checkout. */
async function lintProblems(files: Tree): Promise<string[]> {
  const config = JSON.parse(readFileSync(`${ROOT}biome.json`, 'utf8')) as object;
  const tree = { ...files, 'biome.json': { ...config, vcs: {} } };
  return await inTree(tree, (root) => {
    const program = `${ROOT}node_modules/@biomejs/biome/bin/biome`;
    const only = ['style/noRestrictedImports', 'suspicious/noImportCycles'].map((rule) => `--only=${rule}`);
    const args = [program, 'lint', ...only, '--reporter=github', '.'];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    const found = [...stdout.matchAll(/title=lint\/\w+\/(\w+),file=([^,]+),/g)].map(
      ([, rule, file]) => `${file!.split(`${basename(root)}/`).at(-1)}: ${rule}`,
    );
    assert.equal(status, found.length === 0 ? 0 : 1, stdout + stderr);
    return found.sort();
  });
}

const use = (specifier: string): string => `import { a } from '${specifier}';\nexport const b = a;\n`;

for (const [path, specifier] of [
  ['cli/src/a.ts', '@twin-ingest/client'],
  ['cli/src/demo/a.ts', '@twin-ingest/testkit/random.ts'],
  ['loadgen/src/a.ts', '@twin-ingest/testkit/servers/server.ts'],
  ['parity-tests/tests/a.test.ts', '../src/case.ts'],
  ['dashboard/src/a.ts', '@twin-ingest/client'],
  ['scripts/a.ts', '@twin-ingest/loadgen/result/result.ts'],
] as const) {
  test(`${path} may import ${specifier}`, async () => {
    assert.deepEqual(await lintProblems({ [path]: use(specifier) }), []);
  });
}

for (const [path, specifier] of [
  ['testkit/src/http/a.ts', '@twin-ingest/loadgen/result/result.ts'],
  ['testkit/src/a.ts', '@twin-ingest/client'],
  ['client-ts/src/a.ts', '@twin-ingest/testkit/random.ts'],
  ['server-ts/src/a.ts', '@twin-ingest/client'],
  ['dashboard/src/a.ts', '@twin-ingest/testkit/random.ts'],
  ['dashboard/tests/a.ts', '@twin-ingest/cli'],
  ['parity-tests/scenarios/a.ts', '@twin-ingest/loadgen/result/result.ts'],
  ['loadgen/src/sync/a.ts', '@twin-ingest/cli/demo.ts'],
  ['cli/src/a.ts', '../../loadgen/src/result.ts'],
  ['loadgen/src/sync/scenarios/a.ts', '../../../../parity-tests/src/case.ts'],
  ['scripts/a.ts', '../dashboard/tests/servers.ts'],
] as const) {
  test(`${path} may not import ${specifier}`, async () => {
    assert.deepEqual(await lintProblems({ [path]: use(specifier) }), [`${path}: noRestrictedImports`]);
  });
}

test('a cycle of imports is found, even of types', async () => {
  const files = {
    'loadgen/src/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
    'loadgen/src/b.ts': "import type { A } from './a.ts';\nexport type B = A | 1;\n",
  };
  assert.deepEqual(await lintProblems(files), [
    'loadgen/src/a.ts: noImportCycles',
    'loadgen/src/b.ts: noImportCycles',
  ]);
});
