/** Tests the release workflow and the contents of the tarballs in `dist/`. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { checkServer } from '../src/check-server.ts';
import { checkChecksums, writeChecksums } from '../src/checksums.ts';
import { crateManifest } from '../src/crate.ts';
import { common, OUT } from '../src/npm-packages.ts';
import { binaryOf, PLATFORMS, platformNamed } from '../src/platforms.ts';
import { run } from '../src/run.ts';
import { unpacked } from './unpacked.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const WORKFLOW = read('.github/workflows/release.yml');
const { version } = common();
const OWN = platformNamed(`${process.platform}-${process.arch}`);

test('every step of the release workflow is a script of package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const steps = [...WORKFLOW.matchAll(/^ +- run: (.*)$/gm)].map(([, step]) => step!);
  assert.equal(steps.length, 6);
  assert.equal([...WORKFLOW.matchAll(/\brun:/g)].length, steps.length);
  for (const step of steps) {
    if (step === 'bash .ci/run') continue;
    const [, script] = /^npx --yes pnpm@[\d.]+ ([\w:]+)/.exec(step)!;
    assert.ok(script! in scripts, step);
  }
});

test('the release workflow builds each platform that has a package', () => {
  const built = [...WORKFLOW.matchAll(/\{ platform: ([\w-]+), runner: [\w.-]+ \}/g)].map(([, name]) => name);
  assert.deepEqual(built.sort(), PLATFORMS.map(({ name }) => name).sort());
});

test('the command line knows the platforms that have a package', async () => {
  const { packageNames, RUST_PLATFORMS } = await import(`${ROOT}cli/src/packaged/rust-package.ts`);
  const names = (RUST_PLATFORMS as string[]).flatMap((platform) => packageNames(platform) as string[]);
  assert.deepEqual(names.sort(), PLATFORMS.map(({ name }) => `@twin-ingest/server-${name}`).sort());
});

test('the packed Rust server is executable and serves', async () => {
  await unpacked(`twin-ingest-server-${OWN.name}-${version}.tgz`, async (folder) => {
    // `packed.long.ts` tests the glibc that it needs.
    const { glibc: _, ...any } = OWN;
    assert.equal(await checkServer(join(folder, 'package/ingest-server'), any, version), true);
  });
});

for (const platform of PLATFORMS.filter(({ name }) => name !== OWN.name)) {
  test(`a built server for ${platform.name} stores an event where it can run`, async (context) => {
    if (!existsSync(binaryOf(platform))) return context.skip('not built here');
    if (!(await checkServer(binaryOf(platform), platform, version))) context.skip('cannot run here');
  });
}

test('a program that does not serve is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-idle-'));
  try {
    const program = join(folder, 'ingest-server');
    writeFileSync(program, `#!/bin/sh\n[ "$1" = --version ] && echo 'ingest-server ${version} (x)'\n`, {
      mode: 0o755,
    });
    const { glibc: _, ...any } = OWN;
    await assert.rejects(checkServer(program, any, version), /ended/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a program that needs a newer glibc, or another version of the server, is refused', async () => {
  await assert.rejects(checkServer(process.execPath, OWN, version), /needs glibc 2\.\d+, newer than 2\.17/);
  const { glibc: _, ...any } = OWN;
  await assert.rejects(checkServer(process.execPath, any, version), /--version prints v\d/);
});

test('no manifest of a tarball refers to the workspace', async () => {
  const files = readdirSync(OUT).filter((name) => name.endsWith('.tgz'));
  assert.equal(files.length, 4);
  for (const file of files)
    await unpacked(file, async (folder) => {
      const manifest = readFileSync(join(folder, 'package/package.json'), 'utf8');
      assert.doesNotMatch(manifest, /workspace:|\.\/src\//, file);
      for (const name of ['README.md', 'LICENSE'])
        if (file.includes('client') && name === 'LICENSE') continue;
        else assert.ok(readdirSync(join(folder, 'package')).includes(name), `${file}: ${name}`);
    });
});

test('the crate contains what it includes, and nothing that refers to the workspace', async () => {
  await unpacked(`ingest-server-${version}.crate`, async (folder) => {
    const root = join(folder, `ingest-server-${version}`);
    for (const path of [
      'contract/openapi.json',
      'dashboard/dist/app.js',
      'server-rs/src/main.rs',
      'Cargo.lock',
    ])
      assert.ok(readFileSync(join(root, path)).length > 0, path);
    assert.doesNotMatch(readFileSync(join(root, 'Cargo.toml'), 'utf8'), /workspace = true/);
  });
  assert.match(
    crateManifest(read('server-rs/Cargo.toml'), read('Cargo.toml')),
    /\[profile\.release\]\nopt-level/,
  );
});

test('checksums agree with the tarballs, and a changed file is found', () => {
  checkChecksums(OUT);
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-sums-'));
  try {
    cpSync(join(ROOT, 'packaging/versions.json'), join(folder, 'a'));
    writeChecksums(folder);
    checkChecksums(folder);
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'a'));
    assert.throws(() => checkChecksums(folder), /SHA256SUMS says/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a release without the tarball of a platform is refused', async () => {
  const other = PLATFORMS.find(({ name }) => name !== OWN.name)!;
  await assert.rejects(run(process.execPath, ['packaging/src/collect.ts'], { cwd: ROOT }), (error: Error) =>
    error.message.includes(`twin-ingest-server-${other.name}-${version}.tgz is missing`),
  );
});

test('the crate can be published, as far as cargo checks it without a token', async () => {
  await run(process.execPath, ['packaging/src/publish-crate.ts', '--dry-run'], {
    cwd: ROOT,
    limitMs: 120_000,
  });
});
