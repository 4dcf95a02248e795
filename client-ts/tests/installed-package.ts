/**
 * Installs the tarball of `pnpm pack` into a separate folder, outside the workspace, with only the dependencies of
 * its manifest.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const CLIENT = fileURLToPath(new URL('../', import.meta.url));
/** Folder of a program that uses the package. */
export const folder = realpathSync(mkdtempSync(join(tmpdir(), 'client-package-')));
const modules = join(folder, 'node_modules');
export const installed = join(modules, '@twin-ingest', 'client');

/** Runs a program and returns its output. Rejects with the output unless the program exits with 0. */
export async function run(command: string, args: readonly string[], cwd = folder): Promise<string> {
  // Scripts of the manifest run on the Node of this process.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return promisify(execFile)(command, args, { cwd, env: { ...process.env, PATH: path } }).then(
    ({ stdout }) => stdout,
    ({ message, stdout, stderr }: Error & { stdout: string; stderr: string }) =>
      assert.fail(`${message}\n${stdout}\n${stderr}`),
  );
}

/** Returns the pnpm that runs this test, or the version that the workspace names. */
function packageManager(): readonly string[] {
  const running = process.env.npm_execpath ?? '';
  if (/pnpm[^/\\]*$/.test(running))
    return ['.js', '.cjs', '.mjs'].includes(extname(running)) ? [process.execPath, running] : [running];
  const { packageManager } = JSON.parse(readFileSync(join(CLIENT, '..', 'package.json'), 'utf8'));
  return ['npx', '--yes', packageManager];
}

/** Packs and installs the client. Call `remove` at the end. */
export async function installPackage(): Promise<void> {
  const [command, ...first] = packageManager();
  await run(command!, [...first, 'pack', '--pack-destination', folder], CLIENT);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, tarball!), '--strip-components=1', '-C', installed]);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  install(...Object.keys(dependencies));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}

export const remove = () => rmSync(folder, { recursive: true, force: true });

/** Installs the dependencies of an optional entry point. */
export function install(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(realpathSync(join(CLIENT, 'node_modules', name)), join(modules, name));
  }
}

const STRICT = { target: 'es2022', strict: true, noEmit: true, types: [] };

/** Compiles a file, including declarations. Fails with the compiler's output. */
export async function typeCheck(file: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const compilerOptions = { ...STRICT, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  await run(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', '.']);
}
