/**
 * Installs the tools of packaging into `.bench/packaging`: zig and cargo-zigbuild from PyPI; npm, verdaccio and three
 * versions of Node from npm.
 *
 * They stay out of the lock files, because only packaging needs these 500 MB. An unchanged version is not installed
 * again.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import CLIENT from '../../client-ts/package.json' with { type: 'json' };
import SERVER from '../../server-ts/package.json' with { type: 'json' };
import VERSIONS from '../versions.json' with { type: 'json' };
import { run } from './run.ts';

/** What the packages need from npm. The test publishes it into the local registry. */
const SQLITE = SERVER.dependencies['better-sqlite3'];
const UNDICI = CLIENT.dependencies.undici;

const FOLDER = `${ROOT}.bench/packaging`;

/** Returns the environment in which `cargo zigbuild` works. */
export async function zigEnvironment(): Promise<NodeJS.ProcessEnv> {
  const folder = join(FOLDER, 'zig');
  const packages = Object.entries(VERSIONS.pypi).map(([name, version]) => `${name}==${version}`);
  await once(folder, packages, async () => {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--no-deps', ...packages]);
  });
  return { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` };
}

/** Returns the folder that holds `node_modules` with the tools of the registry test. */
export async function registryTools(): Promise<string> {
  const folder = join(FOLDER, 'registry');
  const versions = { ...VERSIONS.npm, 'better-sqlite3': SQLITE, undici: UNDICI };
  const packages = Object.entries(versions).map(
    ([name, version]) => `${name}@${version.replace('{arch}', process.arch)}`,
  );
  await once(folder, packages, async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, overrides: VERSIONS.overrides }),
    );
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--force', ...packages], {
      cwd: folder,
    });
  });
  return folder;
}

/** Runs `install` unless the folder has these packages. */
async function once(
  folder: string,
  packages: readonly string[],
  install: () => Promise<void>,
): Promise<void> {
  const list = join(folder, 'installed.txt');
  const wanted = `${packages.join('\n')}\n`;
  if (existsSync(list) && readFileSync(list, 'utf8') === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  await install();
  writeFileSync(list, wanted);
}
