/** Tests `docs/dependencies.md`: one row for each dependency of a manifest, and none for any other package. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
type Manifest = Partial<Record<(typeof KINDS)[number], Readonly<Record<string, string>>>>;

/** External packages of every `package.json`, with their versions. */
const NODE = ['.', ...readdirSync(ROOT)]
  .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
  .flatMap((folder) => {
    const manifest = JSON.parse(read(`${folder}/package.json`)) as Manifest;
    const where = folder === '.' ? 'root' : folder;
    return KINDS.flatMap((kind) => Object.entries(manifest[kind] ?? {}))
      .filter(([, version]) => version !== 'workspace:*')
      .map(([name, version]) => ({ name, version, where }));
  });

/** Names of the dependencies in `Cargo.toml`. */
const CRATES = [
  ...read('server-rs/Cargo.toml').matchAll(
    /^\[(?:target\.'[^']+'\.)?[a-z-]*dependencies\]\n((?:[^[\n].*\n)*)/gm,
  ),
]
  .flatMap(([, lines]) => [...lines!.matchAll(/^([\w-]+) *=/gm)])
  .map(([, name]) => ({ name: name!, where: 'server-rs' }));

test('the table of dependencies has one row for each package, with the manifests that name it', () => {
  const places = new Map<string, Set<string>>();
  for (const { name, where } of [...CRATES, ...NODE])
    places.set(name, (places.get(name) ?? new Set()).add(where));
  const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` *\| ([^|]+?) *\|/gm)];
  assert.deepEqual(
    rows.map(([, name, where]) => `${name}: ${where}`).sort(),
    [...places].map(([name, where]) => `${name}: ${[...where].sort().join(', ')}`).sort(),
  );
});

test('every package.json names exact versions', () => {
  for (const { name, version } of NODE) assert.match(version, /^\d+\.\d+\.\d+$/, name);
});
