/**
 * Finds the package with the Rust server of this platform, which npm installs as an optional dependency.
 *
 * npm selects the packages by `os`, `cpu` and `libc`. A package manager that ignores `libc` installs both packages of
 * Linux, so the C library of this process then decides.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Platforms that have a package: `process.platform` and `process.arch`. */
export const RUST_PLATFORMS: readonly string[] = [
  'linux-x64',
  'linux-arm64',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
];

const PROGRAM = process.platform === 'win32' ? 'ingest-server.exe' : 'ingest-server';

export interface RustPackage {
  /** The package that this platform needs; `null` when there is none. */
  readonly name: string | null;
  /** Path of the program; `null` when the package is not installed. */
  readonly binary: string | null;
}

/** The packages of a platform. On Linux there is a second one with a statically linked program for musl. */
export function packageNames(platform: string): readonly string[] {
  if (!RUST_PLATFORMS.includes(platform)) return [];
  const plain = `@twin-ingest/server-${platform}`;
  return platform.startsWith('linux-') ? [plain, `${plain}-musl`] : [plain];
}

export function rustPackage(): RustPackage {
  const names = packageNames(`${process.platform}-${process.arch}`);
  const installed = names.flatMap((name) => {
    const binary = binaryOf(name);
    return binary === null ? [] : [{ name, binary }];
  });
  // The report takes longer than the rest, so only an installation of both asks for it.
  const chosen = installed.length > 1 && isMusl() ? installed[1] : installed[0];
  return chosen ?? { name: names[0] ?? null, binary: null };
}

function binaryOf(name: string): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), PROGRAM);
  } catch {
    return null;
  }
}

function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
