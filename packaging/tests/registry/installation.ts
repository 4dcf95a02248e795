/** The packages that the tests install from: a registry that has them, and homes of newcomers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registryTools } from '../../src/tools.ts';
import { Home } from './home.ts';
import { type LocalRegistry, startRegistry } from './local-registry.ts';
import { publishForNewcomers } from './packages.ts';

export type Node = 'node20' | 'node22' | 'node24';

/** npm leaves optional dependencies out, such as the Rust server. */
export const WITHOUT_RUST = { npm_config_omit: 'optional' };

export interface Installation {
  readonly registry: LocalRegistry;
  /** Names and versions of what `dist/` had to publish. */
  readonly published: readonly string[];
  newHome(node: Node, env?: Readonly<Record<string, string>>): Home;
  /** Removes everything. */
  remove(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const tools = await registryTools();
  const registry = await startRegistry(tools);
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-packages-'));
  const homes: Home[] = [];
  const remove = async () => {
    for (const home of homes) home.remove();
    rmSync(folder, { recursive: true, force: true });
    await registry.stop();
  };
  try {
    const published = await publishForNewcomers(registry, tools, folder);
    const newHome: Installation['newHome'] = (node, env = {}) => {
      const home = new Home(tools, node, registry.url, env);
      homes.push(home);
      return home;
    };
    return { registry, published, newHome, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
