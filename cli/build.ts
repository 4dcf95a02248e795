/**
 * Bundles the command line into the folder that is given, for the package `twin-ingest` (packaging/).
 *
 * The sources of `cli/` name the scripts of a checkout, such as `pnpm connect`. The bundle names the commands of the
 * package. Invariant: a script without a command fails the build, so that no message names what a user does not have.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Texts of messages in a checkout, and in the package. The first one that fits counts. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/pnpm start:ts or pnpm start:rs/g, 'npx twin-ingest'],
  [/Build the newest one \(pnpm build\)|build the newest one \(pnpm build\)/g, 'update twin-ingest'],
  [/pnpm start:(?:ts|rs)/g, 'npx twin-ingest'],
  [/pnpm (?:agents|server):(\w+)/g, 'npx twin-ingest $1'],
  // The package has no `demo:swap`, whose help is in the module of `demo`.
  [/pnpm demo:swap/g, 'demo:swap'],
  [/run pnpm \$\{wanted\.map.*\}(?=`)/g, 'install the package @twin-ingest/server-OS-CPU'],
  [/pnpm twin-ingest/g, 'npx twin-ingest'],
  [/pnpm (connect|demo|ensure|stop|service|bench)\b(?!:)/g, 'npx twin-ingest $1'],
];
/** What must not remain. */
const SCRIPT = /\bpnpm (?:[a-z]|\$\{)/;

/**
 * Modules that look for a checkout, and what replaces them. The client uses the global fetch, which every Node has:
 * undici 8 needs Node 22.
 */
const REPLACED: Readonly<Record<string, string>> = {
  '@twin-ingest/testkit/servers/targets.ts': 'cli/src/packaged/targets.ts',
  '@twin-ingest/testkit/servers/build.ts': 'cli/src/packaged/build.ts',
  './targets.ts': 'cli/src/packaged/targets.ts',
  '#fetch': 'client-ts/src/fetch.ts',
};

const packaged: Plugin = {
  name: 'packaged',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /(targets|build)\.ts$|^#fetch$/ }, ({ path }) => {
      const replacement = REPLACED[path];
      return replacement === undefined ? undefined : { path: join(ROOT, replacement) };
    });
    onLoad({ filter: /[\\/]cli[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const code = withoutComments(readFileSync(path, 'utf8'));
      const contents = TEXTS.reduce((text, [script, command]) => text.replace(script, command), code);
      const left = contents.split('\n').find((line) => SCRIPT.test(line));
      if (left !== undefined) return { errors: [{ text: `${path} names a script of a checkout: ${left}` }] };
      return { contents, loader: 'ts' };
    });
  },
};

/** Removes block comments and whole-line comments, which may name scripts. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*\*[\s\S]*?\*\/$/gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

const folder = process.argv[2];
if (folder === undefined || folder.startsWith('-')) {
  process.stderr.write('Usage: node cli/build.ts FOLDER\n');
  process.exit(2);
}
await build({
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  // A CommonJS module that requires its parts late cannot be bundled.
  mainFields: ['module', 'main'],
  entryPoints: { 'twin-ingest': join(ROOT, 'cli/src/main.ts') },
  outdir: folder,
  plugins: [packaged],
  define: { TWIN_INGEST_PACKAGED: 'true' },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
});
copyFileSync(join(ROOT, 'cli/src/connect/opencode-plugin.js'), join(folder, 'opencode-plugin.js'));
