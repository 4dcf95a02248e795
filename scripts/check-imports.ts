/**
 * Checks the layers of both servers: a module imports only modules that precede it in this list.
 *
 * A list of layers has no cycle. A folder counts as one module. `biome.json` forbids cycles of files within a folder,
 * and restricts imports between packages. Unit tests in Rust modules are not checked.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { filesBelow } from './contract-facts.ts';

/** The layers, from the lowest to the highest. `buffers`, `served` and `zstd` exist in one server only. */
export const LAYERS: readonly string[] = [
  ...[
    'contract',
    'queries',
    'served',
    'clock',
    'log',
    'buffers',
    'error',
    'text',
    'zstd',
    'digest',
    'number',
    'timestamp',
    'zones',
    'event_time',
    'platform',
    'descriptors',
    'lifecycle',
    'secret',
    'budget',
    'http_client',
    'endpoint',
    'activity',
    'histogram',
    'meters',
    'metrics',
  ],
  ...[
    'field',
    'figure',
    'event',
    'topics',
    'scanner',
    'json',
    'json_members',
    'json_fault',
    'mapping',
    'waits',
    'price_names',
    'prices',
    'truncate',
    'fields',
    'validate',
    'redact',
    'formats',
    'render',
    'telemetry',
    'hooks',
    'slots',
  ],
  ...[
    'config',
    'store',
    'maintenance',
    'ring',
    'hub',
    'invalidations',
    'notices',
    'deliveries',
    'webhook',
    'notifier',
    'cluster',
    'attachments',
    'waiting_line',
    'body_room',
    'admission',
    'ingest',
    'forward',
    'rpc',
    'http',
    'app',
    'input',
    'main',
  ],
];

/** Pairs of modules that may import each other, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'http uses app': 'handlers get the application as a type, and the application wires the handlers',
};

const TREES = [
  { folder: 'server-rs/src', isModule: /(?<!(^|\/)lib)\.rs$/, importsOf: rustImports },
  { folder: 'server-ts/src', isModule: /(?<!\.test|\.d)\.ts$/, importsOf: scriptImports },
];

/** Returns every import that does not point downwards. */
export function checkImports(root: string): string[] {
  return TREES.flatMap(({ folder, isModule, importsOf }) =>
    filesBelow(join(root, folder))
      .map((path) => path.slice(join(root, folder, '/').length))
      .filter((path) => isModule.test(path))
      .flatMap((path) => {
        const module = topOf(path);
        if (!LAYERS.includes(module)) return [`${folder}/${path}: ${module} is in no layer`];
        return [...new Set(importsOf(path, readFileSync(join(root, folder, path), 'utf8')))]
          .filter((used) => LAYERS.indexOf(used) >= LAYERS.indexOf(module) && used !== module)
          .map((used) => `${module} uses ${used}`)
          .filter((use) => !(use in EXCEPTIONS))
          .map((use) => `${folder}/${path}: ${use}, which is not below it`);
      }),
  );
}

function topOf(path: string): string {
  return path
    .split('/')[0]!
    .replace(/\.(rs|ts)$/, '')
    .replaceAll('-', '_');
}

function rustImports(_: string, text: string): string[] {
  const code = text.replace(/\n#\[cfg\(test\)\]\nmod tests \{[\s\S]*$/, '').replace(/\/\/.*/g, '');
  return [...code.matchAll(/\b(?:crate|ingest_server)::(?:\{([^}]*)|([a-z_]+))/g)].flatMap(([, list, one]) =>
    one === undefined ? list!.split(',').map((path) => path.trim().split('::')[0]!) : [one],
  );
}

function scriptImports(path: string, text: string): string[] {
  return [...text.matchAll(/\b(?:from |import |import\()'(\.[^']+)'/g)]
    .map(([, specifier]) => posix.join(posix.dirname(path), specifier!))
    .filter((used) => !used.startsWith('..'))
    .map(topOf);
}

/** Flags for the rules of `biome.json` about imports between packages and cycles of files. */
const BIOME_RULES = ['--only=style/noRestrictedImports', '--only=suspicious/noImportCycles'];

function main(): number {
  answerHelp(`Usage: pnpm imports:check

Checks the imports between packages, by Biome, and between the layers of both servers.

Exit code: 0 in order, 1 a problem.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { status, error } = spawnSync('biome', ['lint', ...BIOME_RULES, '.'], {
    cwd: root,
    stdio: 'inherit',
  });
  const problems = checkImports(root);
  if (error !== undefined) problems.push(`biome: ${error.message}`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 && status === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
