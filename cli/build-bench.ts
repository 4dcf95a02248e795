/**
 * Bundles the quick comparison of loadgen into the folder that is given, for the package `@twin-ingest/bench` (packaging/).
 *
 * Every program that a run starts is an entry, and all files are in one folder. So `./NAME.ts` of a module becomes
 * `./NAME.js`, in whichever file the bundler puts the module. Invariant: a program without an entry fails the build.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const SOURCES = fileURLToPath(new URL('../loadgen/src/', import.meta.url));

/** The module of the package, and the programs and threads that a comparison starts. */
const ENTRIES: Readonly<Record<string, string>> = {
  main: 'packaged/main.ts',
  'audit-process': 'verify/audit/audit-process.ts',
  'autocannon-main': 'load/drivers/autocannon-main.ts',
  'open-process': 'load/drivers/open-process.ts',
  'metronome-worker': 'load/drivers/metronome-worker.ts',
  process: 'observe/stream/process.ts',
  'start-process': 'run/start-process.ts',
};

/** What only a run in a checkout loads: the schema of a result file, and the report with plots. */
const UNUSED = /^(ajv\/dist\/2020\.js|\.\/html\.ts)$/;

/** A program next to its module: its name, or the variable that holds it. */
const PROGRAM = /new URL\(([`'])\.\/([^`']+)\.ts\1, import\.meta\.url\)/g;

const packaged: Plugin = {
  name: 'packaged',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
    onLoad({ filter: /[\\/]loadgen[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      const missing = [...code.matchAll(PROGRAM)].map(([, , name]) => name!).find((name) => !isEntry(name));
      if (missing !== undefined)
        return { errors: [{ text: `${path} starts ${missing}, which has no entry` }] };
      return { contents: code.replaceAll(PROGRAM, 'new URL($1./$2.js$1, import.meta.url)'), loader: 'ts' };
    });
  },
};

function isEntry(name: string): boolean {
  return name.includes('$' + '{') || Object.hasOwn(ENTRIES, name);
}

const folder = process.argv[2];
if (folder === undefined || folder.startsWith('-')) {
  process.stderr.write('Usage: node cli/build-bench.ts FOLDER\n');
  process.exit(2);
}
await build({
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  splitting: true,
  entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(SOURCES, path)])),
  outdir: folder,
  plugins: [packaged],
  // It has a native module for each platform.
  external: ['better-sqlite3'],
  // CommonJS packages call these.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'node:module';",
      "import { fileURLToPath as __fileURLToPath } from 'node:url';",
      'const require = __createRequire(import.meta.url);',
      'const __filename = __fileURLToPath(import.meta.url);',
      "const __dirname = __fileURLToPath(new URL('.', import.meta.url));",
    ].join('\n'),
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
});
