/**
 * Builds the package into `dist/`: modules without their types, and their declarations.
 *
 * `pnpm pack` runs this first. It writes the entries of `publishConfig` into the manifest of the tarball, in place of
 * the sources that the workspace imports. Invariant: no file of an earlier build remains. Exits non-zero when any
 * step fails.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('./', import.meta.url));
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

if (process.argv.includes('--help')) {
  process.stdout.write('Usage: pnpm client:build\n\nBuilds the client into client-ts/dist.\n');
  process.exit(0);
}
rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(ROOT, 'tsconfig.build.json')];
const { status, error } = spawnSync(process.execPath, compiler, { stdio: 'inherit' });
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
