/**
 * Bundles the server into `dist/main.js` and the libraries of formats beside it, next to the native SQLite module of this platform.
 *
 * What must stay true: `dist/` runs wherever it is copied, without node_modules and without `contract/`, whose
 * files are inlined. `dist/deployed.json` lists what has to be copied, for whoever measures its size.
 * Exits non-zero when anything fails.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('./', import.meta.url));
const DIST = join(ROOT, 'dist');
const BUNDLE = 'main.js';
const BINDING = 'better_sqlite3.node';

/** `?text` at the end of a specifier: the file as text. */
const textFiles: Plugin = {
  name: 'text-files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => {
      return { path: join(resolveDir, path.slice(0, -'?text'.length)), namespace: 'text' };
    });
    onLoad({ filter: /.*/, namespace: 'text' }, ({ path }) => {
      return { contents: readFileSync(path, 'utf8'), loader: 'text', watchFiles: [path] };
    });
  },
};

/**
 * Node's own modules through `require`: an ES import of one evaluates every lazy part of it, which for
 * `node:http` alone costs more than the rest of the start, in the main thread and in every other one.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) => {
      return kind === 'import-statement' ? { path, namespace: 'builtin' } : { path, external: true };
    });
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      return { contents: `module.exports = require('${path}');` };
    });
  },
};

/** What express loads for bodies and files, with tables of encodings and media types; never used here. */
const UNUSED = /^(body-parser|serve-static|send|mime-types)$/;

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** The libraries of the formats, by the file that holds each: loaded once a request needs one. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  'msgpackr.js': ['msgpackr/unpack', 'msgpackr/pack'],
  'protobuf.js': ['@bufbuild/protobuf/wire'],
  'arrow.js': ['apache-arrow'],
};

/** In files of their own, since every thread reads the bundle when it starts. */
const separateLibraries: Plugin = {
  name: 'separate-libraries',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind !== 'dynamic-import') return undefined;
      const file = Object.keys(LIBRARIES).find((name) => LIBRARIES[name]!.includes(path));
      return file === undefined ? undefined : { path: `./${file}`, external: true };
    });
  },
};

/** What CommonJS packages expect to find. */
const REQUIRE = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { fileURLToPath as __fileURLToPath } from 'node:url';",
  "import { dirname as __directoryOf } from 'node:path';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = __fileURLToPath(import.meta.url);',
  'const __dirname = __directoryOf(__filename);',
].join('\n');

/** The prebuilt module of this platform, as better-sqlite3 itself would choose it. */
function prebuiltBinding(): string {
  const require = createRequire(import.meta.url);
  const packageDir = dirname(require.resolve('better-sqlite3/package.json'));
  const { getPrebuildPath } = require(join(packageDir, 'lib', 'binding.js')) as {
    getPrebuildPath(): string | null;
  };
  const path = getPrebuildPath();
  if (path === null) throw new Error(`no prebuilt SQLite module for ${process.platform}-${process.arch}`);
  return path;
}

if (process.argv.includes('--help')) {
  process.stdout.write('Usage: pnpm ts:build\n\nBundles the TypeScript server into server-ts/dist.\n');
  process.exit(0);
}
rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  banner: { js: REQUIRE },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};
await build({
  ...common,
  entryPoints: [join(ROOT, 'src', 'main.ts')],
  outfile: join(DIST, BUNDLE),
  plugins: [textFiles, lazyBuiltins, withoutUnused, separateLibraries],
});
for (const [file, [library]] of Object.entries(LIBRARIES)) {
  const contents = `export * from '${library}';`;
  const stdin = { contents, resolveDir: ROOT };
  await build({ ...common, stdin, outfile: join(DIST, file), plugins: [lazyBuiltins] });
}
copyFileSync(prebuiltBinding(), join(DIST, BINDING));
const files = [BUNDLE, ...Object.keys(LIBRARIES), BINDING].map((path) => ({
  path,
  bytes: statSync(join(DIST, path)).size,
}));
writeFileSync(join(DIST, 'deployed.json'), `${JSON.stringify({ files }, null, 2)}\n`);
