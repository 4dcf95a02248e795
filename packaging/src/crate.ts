/**
 * Makes the crate `ingest-server`, which builds from its own files alone.
 *
 * The sources include files of `contract/` and `dashboard/dist/`, which are outside of `server-rs/`, so cargo would
 * leave them out. The staged crate has the layout of the repository: its root holds the manifest, and next to it are
 * `server-rs/`, `contract/` and `dashboard/dist/`. So every relative path of the sources stays the same.
 */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { OUT } from './npm-packages.ts';
import { run } from './run.ts';

const TARGET = join(ROOT, 'target');
/** The profile and the targets of `pnpm rust:lint`, so that the features of the dependencies are the same. */
const CHECK = ['check', '--profile', 'test-release', '--all-targets', '--locked', '--target-dir', TARGET];

/** What the crate contains, next to its manifest. */
const FILES = ['server-rs/src', 'server-rs/build.rs', 'contract', 'dashboard/dist', 'LICENSE'];

/**
 * Packs the crate into `dist/`. cargo builds it from the packed files. With `quick` it only checks the types, with the
 * dependencies that `pnpm rust:lint` has checked. Both find a file that the crate lacks.
 */
export async function packCrate(quick = false): Promise<string> {
  const folder = join(OUT, 'stage', 'crate');
  stageCrate(folder);
  const args = ['package', '--allow-dirty', '--locked', '--target-dir', TARGET];
  // Without debug information the build from the packed files takes half the time.
  const env = { ...process.env, CARGO_PROFILE_DEV_DEBUG: '0' };
  await run('cargo', quick ? [...args, '--no-verify'] : args, { cwd: folder, env });
  const name = `ingest-server-${versionOf()}`;
  const file = join(OUT, `${name}.crate`);
  copyFileSync(join(TARGET, 'package', `${name}.crate`), file);
  if (quick) {
    await run('tar', ['-xzf', file, '-C', join(OUT, 'stage')]);
    const packed = join(OUT, 'stage', name);
    // cargo leaves this line out of the packed manifest. Without it the packed files would be in this workspace.
    appendFileSync(join(packed, 'Cargo.toml'), '\n[workspace]\n');
    await run('cargo', CHECK, { cwd: packed });
  }
  return file;
}

/** Writes the crate's files into `folder`. */
export function stageCrate(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const path of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  copyFileSync(join(ROOT, 'packaging/CRATE.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'Cargo.lock'), crateLock(read('Cargo.lock')));
  writeFileSync(join(folder, 'Cargo.toml'), crateManifest(read('server-rs/Cargo.toml'), read('Cargo.toml')));
}

/** Returns the manifest of the crate: that of `server-rs` with the values and profiles of the workspace. */
export function crateManifest(own: string, workspace: string): string {
  const value = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(workspace)?.[1];
  const filled = own
    .replaceAll(/^(\S+)\.workspace = true$/gm, (line, name: string) => {
      // The workspace is private, the staged crate is for everyone.
      if (name === 'publish') return 'readme = "README.md"';
      const found = value(name);
      if (found === undefined) throw new Error(`the workspace does not define ${line}`);
      return `${name} = ${found}`;
    })
    // Lints are for developers, benches and examples stay in the repository.
    .replace(/^\[lints\]\nworkspace = true\n/m, '')
    .replace(/^\[\[bench\]\]\n(?:.+\n)*/m, '')
    .replace('path = "src/main.rs"', 'path = "server-rs/src/main.rs"')
    .replace('[lib]\n', '[lib]\npath = "server-rs/src/lib.rs"\n')
    .replace('[package]\n', '[package]\nbuild = "server-rs/build.rs"\n');
  const profiles = workspace.match(/^\[profile\.[^\]]+\]\n(?:[^[\n].*\n)*/gm) ?? [];
  return `${filled}\n${profiles.join('\n')}\n[workspace]\n`;
}

/** Returns the lock file of the workspace without its other package, which `--locked` would refuse. */
function crateLock(workspace: string): string {
  return workspace.replace(/^\[\[package\]\]\nname = "ingest-ceiling"\n(?:.+\n)*\n/m, '');
}

function versionOf(): string {
  return /^version = "(.*)"$/m.exec(read('Cargo.toml'))![1]!;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
