/**
 * Tests that every TypeScript sample in a document compiles unchanged as a separate module, with the strictest options.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const CLIENT = fileURLToPath(new URL('../', import.meta.url));
const ROOT = join(CLIENT, '..');
const folder = mkdtempSync(join(tmpdir(), 'client-samples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'esnext.array', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules', '@types')],
  module: 'preserve',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  paths: {
    '@twin-ingest/client': [join(CLIENT, 'src', 'index.ts')],
    '@twin-ingest/client/*': [join(CLIENT, 'src', '*.ts')],
  },
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** Returns the samples of a document, each with its first line number. */
function samplesOf(path: string): { readonly line: number; readonly text: string }[] {
  const document = readFileSync(join(ROOT, path), 'utf8');
  return [...document.matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```$/gm)].map(({ index, 1: text }) => ({
    line: document.slice(0, index).split('\n').length,
    text: text!,
  }));
}

/** Returns the compiler's messages about these samples; empty when all compile. */
function compile(samples: readonly { readonly name: string; readonly text: string }[]): string {
  for (const { name, text } of samples) writeFileSync(join(folder, name), text);
  const files = samples.map(({ name }) => name);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files }));
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const args = [join(typescript, 'bin', 'tsc'), '-p', '.'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
}

test('every TypeScript sample of a document compiles', () => {
  const documents = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: ROOT, encoding: 'utf8' });
  const paths = documents.split('\0').filter(Boolean);
  const samples = paths.flatMap((path) =>
    samplesOf(path).map(({ line, text }) => ({ name: `${path.replaceAll('/', '_')}-${line}.ts`, text })),
  );
  const own = samples.filter(({ name }) => name.startsWith('client-ts_README'));
  assert.ok(own.length >= 4, 'the samples of the client are found');
  assert.equal(compile(samples), '');
});

test('a sample with a mistake does not compile', () => {
  const text = `import { Sender } from '@twin-ingest/client';
    new Sender().send({ session_id: 's', agent_type: 'a', event_type: 'tol_use' });`;
  assert.match(compile([{ name: 'wrong.ts', text }]), /"tol_use".* is not assignable to type/);
});
