/**
 * Bundles the command line into the folder that is given, for the package `twin-ingest` (packaging/).
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * Modules that look for a checkout, and what replaces them. The client sends as the commands do, since undici 8 needs
 * Node 22.
 */
const REPLACED: Readonly<Record<string, string>> = {
  '@twin-ingest/testkit/servers/targets.ts': 'cli/src/packaged/targets.ts',
  '@twin-ingest/testkit/servers/build.ts': 'cli/src/packaged/build.ts',
  './targets.ts': 'cli/src/packaged/targets.ts',
  '#fetch': 'cli/src/packaged/fetch.ts',
};

const packaged: Plugin = {
  name: 'packaged',
  setup({ onResolve }) {
    onResolve({ filter: /(targets|build)\.ts$|^#fetch$/ }, ({ path }) => {
      const replacement = REPLACED[path];
      return replacement === undefined ? undefined : { path: join(ROOT, replacement) };
    });
  },
};

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
copyFileSync(join(ROOT, 'contract/agents/opencode/plugin.js'), join(folder, 'opencode-plugin.js'));
