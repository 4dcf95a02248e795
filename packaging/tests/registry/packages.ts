/** Publishes into the local registry what a newcomer's npm asks for. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverManifest } from '../../src/manifests.ts';
import { common } from '../../src/npm-packages.ts';
import { PLATFORMS } from '../../src/platforms.ts';
import { publishAll } from '../../src/publish.ts';
import { run } from '../../src/run.ts';
import type { LocalRegistry } from './local-registry.ts';

/** Publishes the tarballs of `dist/`, the packages of other platforms without a program, and better-sqlite3. */
export async function publishForNewcomers(
  registry: LocalRegistry,
  tools: string,
  folder: string,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  for (const name of ['better-sqlite3', 'undici']) await packDependencies(name, tools, folder);
  for (const platform of PLATFORMS) {
    if (platform.name === `${process.platform}-${process.arch}`) continue;
    const place = join(folder, platform.name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify(serverManifest(common(), platform)));
    await packInto(place, folder);
  }
  const npm = ['--userconfig', registry.userconfig];
  await publishAll({ npm, folder });
  return await publishAll({ npm });
}

/** Packs an installed package and all that it needs. */
async function packDependencies(name: string, tools: string, folder: string): Promise<void> {
  const place = join(tools, 'node_modules', name);
  await packInto(place, folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const needed of Object.keys(dependencies)) await packDependencies(needed, tools, folder);
}

async function packInto(place: string, folder: string): Promise<void> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: place });
}
