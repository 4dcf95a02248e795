/**
 * Bundles the server into `dist/main.js`, with the format libraries and the native SQLite module of this platform in
 * the same folder.
 *
 * Invariant: `dist/` runs wherever it is copied, without node_modules and without `contract/`, whose files are
 * inlined. `dist/deployed.json` lists the files to copy, for tools that measure the size. Exits non-zero when any
 * step fails. Two builds at once do not break each other: each file replaces the previous one by a rename.
 */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('./', import.meta.url));
/** `--package DIR` writes there, and leaves SQLite to the package better-sqlite3. */
const packageFlag = process.argv.indexOf('--package');
const isPackage = packageFlag >= 0;
const DIST = isPackage ? resolve(process.argv[packageFlag + 1] ?? '') : join(ROOT, 'dist');
const BUNDLE = 'main.js';
const BINDING = 'better_sqlite3.node';

/** Resolves a specifier that ends in `?text` to the text of the file. */
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
 * Loads Node's own modules through `require`. An ES import evaluates every lazy part of a module. For `node:http`
 * alone that costs more than the rest of the start, in every thread.
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

/** Express loads these for bodies and files, with tables of encodings and media types. The server never uses them. */
const UNUSED = /^(body-parser|serve-static|send|mime-types)$/;

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** The format libraries, by the file that holds each. The server loads one when a request needs it. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  'msgpackr.js': ['msgpackr/unpack', 'msgpackr/pack'],
  'protobuf.js': ['@bufbuild/protobuf/wire'],
  'arrow.js': ['apache-arrow'],
  'prom-client.js': ['prom-client'],
  'nats.js': ['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/obj'],
};

/** What the server uses of a CommonJS library, whose names esbuild does not know. */
const NAMES: Readonly<Record<string, string>> = {
  'prom-client': '{ Registry }',
  '@nats-io/transport-node': '{ connect, headers }',
  '@nats-io/jetstream':
    '{ AckPolicy, DeliverPolicy, DiscardPolicy, JetStreamApiCodes, JetStreamApiError, StorageType, jetstream, jetstreamManager }',
  '@nats-io/obj': '{ Objm, setSha256Backend }',
};

/** Puts format libraries into files of their own, since every thread reads the bundle when it starts. */
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

/** Defines the names that CommonJS packages expect. */
const REQUIRE = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { fileURLToPath as __fileURLToPath } from 'node:url';",
  "import { dirname as __directoryOf } from 'node:path';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = __fileURLToPath(import.meta.url);',
  'const __dirname = __directoryOf(__filename);',
].join('\n');

/** Returns the prebuilt module of this platform, chosen as better-sqlite3 chooses it. */
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
/** This build's own folder, in which nothing is read until all of it is written. */
const STAGING = join(DIST, `.${process.pid}`);
mkdirSync(STAGING, { recursive: true });
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
  outfile: join(STAGING, BUNDLE),
  external: isPackage ? ['better-sqlite3'] : [],
  plugins: [textFiles, lazyBuiltins, withoutUnused, separateLibraries],
});
for (const [file, [library, ...others]] of Object.entries(LIBRARIES)) {
  // Other entries of a library follow only where both have names: msgpackr/pack is part of msgpackr/unpack.
  const all = [library!, ...others.filter((other) => other in NAMES)];
  const contents = all.map((name) => `export ${NAMES[name] ?? '*'} from '${name}';`).join('\n');
  const stdin = { contents, resolveDir: ROOT };
  await build({ ...common, stdin, outfile: join(STAGING, file), plugins: [lazyBuiltins] });
}
if (!isPackage) copyFileSync(prebuiltBinding(), join(STAGING, BINDING));
// The bundle is last, since its time is that of the build.
const names = [...Object.keys(LIBRARIES), ...(isPackage ? [] : [BINDING]), BUNDLE];
const files = names.map((path) => ({ path, bytes: statSync(join(STAGING, path)).size }));
writeFileSync(join(STAGING, 'deployed.json'), `${JSON.stringify({ files }, null, 2)}\n`);
const built = ['deployed.json', ...names];
for (const name of built) renameSync(join(STAGING, name), join(DIST, name));
rmSync(STAGING, { recursive: true });
// What an earlier version of this program has built.
for (const name of readdirSync(DIST))
  if (!built.includes(name) && !/^\.\d+$/.test(name)) rmSync(join(DIST, name), { recursive: true });
