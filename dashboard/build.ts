/**
 * Builds the dashboard and the page of measurements into `dist/`: files that both servers embed in their own builds.
 *
 * `dist/` is committed, so that building a server needs no bundler; `--check` reports whether it matches the sources.
 * Invariant: the same sources give the same bytes on every machine. Exits non-zero when any step fails.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('./', import.meta.url));
const DIST = join(ROOT, 'dist');

if (process.argv.includes('--help')) {
  process.stdout.write(`Usage: pnpm page:build, pnpm page:check

Builds the dashboard into dashboard/dist; page:check compares that folder with the sources and writes nothing.

Exit code: 0 done, 1 dashboard/dist is not what the sources make.
`);
  process.exit(0);
}
const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: {
    'app.js': 'src/main.tsx',
    'app.css': 'src/styles/index.css',
    'bench.js': 'src/bench/main.ts',
    'bench-worker.js': 'src/bench/worker.ts',
    'bench.css': 'src/bench/style.css',
  },
  outdir: 'dist',
  bundle: true,
  write: false,
  minify: true,
  format: 'esm',
  platform: 'browser',
  // `light-dark()` is the newest feature that the dashboard needs, in these versions.
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfigRaw: {},
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
});
const files = new Map<string, Uint8Array>([
  ['index.html', readFileSync(join(ROOT, 'src', 'index.html'))],
  ['bench.html', readFileSync(join(ROOT, 'src', 'bench', 'index.html'))],
]);
// An entry point's name already has its extension, so this drops the one that esbuild adds.
for (const { path, contents } of outputFiles) files.set(parse(path).name, contents);

if (process.argv.includes('--check')) {
  const stale = [...files].filter(([name, made]) => !readFileSync(join(DIST, name)).equals(made));
  for (const [name] of stale) process.stderr.write(`dashboard/dist/${name} is not what the sources make\n`);
  if (stale.length > 0) {
    process.stderr.write('run pnpm page:build, and commit dashboard/dist\n');
    process.exit(1);
  }
} else {
  mkdirSync(DIST, { recursive: true });
  for (const [name, made] of files) writeFileSync(join(DIST, name), made);
}
for (const [name, made] of files)
  process.stdout.write(`${name.padEnd(15)} ${made.length} bytes, ${gzipSync(made).length} compressed\n`);
