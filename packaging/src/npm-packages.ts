/**
 * Makes the tarballs for npm.
 *
 * Invariant: a tarball contains no reference to this workspace, and a server's program is executable.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageManager } from '@twin-ingest/testkit/servers/build.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { checkServer } from './check-server.ts';
import {
  benchManifest,
  type Common,
  commandLineManifest,
  type Manifest,
  serverManifest,
} from './manifests.ts';
import { binaryOf, type Platform, programName } from './platforms.ts';
import { run } from './run.ts';

/** The folder of all tarballs; git ignores it. */
export const OUT = `${ROOT}dist`;

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, unknown>;

export function common(): Common {
  const { version, license, repository } = read('package.json') as unknown as Common;
  return { version, license, ...(repository === undefined ? {} : { repository }) };
}

/** Returns the dependency that no bundle contains, because it has native modules for each platform. */
function sqlite(): Record<string, string> {
  const { dependencies } = read('server-ts/package.json') as { dependencies: Record<string, string> };
  return { 'better-sqlite3': dependencies['better-sqlite3']! };
}

/** Packs the command line with the TypeScript server. */
export async function packCommandLine(): Promise<string> {
  const manifest = commandLineManifest(common(), sqlite());
  return await packed('twin-ingest', manifest, 'cli/PACKAGE.md', async (folder) => {
    await run(process.execPath, ['cli/build.ts', join(folder, 'bin')], { cwd: ROOT });
    await run(process.execPath, ['server-ts/build.ts', '--package', join(folder, 'server')], { cwd: ROOT });
  });
}

/** Packs the quick comparison, which `twin-ingest bench` gets on request. */
export async function packBench(): Promise<string> {
  const manifest = benchManifest(common(), sqlite());
  return await packed('bench', manifest, 'packaging/BENCH.md', async (folder) => {
    await run(process.execPath, ['cli/build-bench.ts', join(folder, 'dist')], { cwd: ROOT });
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/where.js'), WHERE, { mode: 0o755 });
  });
}

/** Prints where the module of the package is, for `twin-ingest bench`. */
const WHERE = `#!/usr/bin/env node
console.log(import.meta.resolve('../dist/main.js'));
`;

/** Packs the Rust server of a platform, which `buildBinary` has built, or another program. */
export async function packServer(platform: Platform, built = binaryOf(platform)): Promise<string> {
  await checkServer(built, platform, common().version);
  const manifest = serverManifest(common(), platform);
  return await packed(`server-${platform.name}`, manifest, 'packaging/SERVER.md', (folder) => {
    const program = join(folder, programName(platform));
    copyFileSync(built, program);
    chmodSync(program, 0o755);
  });
}

/** Packs the client. pnpm replaces the entries of its manifest by those of `publishConfig`. */
export async function packClient(): Promise<string> {
  const [command, ...first] = await packageManager();
  await run(command!, [...first, 'pack', '--pack-destination', OUT], { cwd: join(ROOT, 'client-ts') });
  return join(OUT, `twin-ingest-client-${common().version}.tgz`);
}

async function packed(
  name: string,
  manifest: Manifest,
  readme: string,
  fill: (folder: string) => Promise<void> | void,
): Promise<string> {
  const folder = join(OUT, 'stage', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(ROOT, readme), join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await fill(folder);
  const [made] = JSON.parse(
    await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', OUT], { cwd: folder }),
  ) as [{ filename: string }];
  return join(OUT, made.filename);
}
