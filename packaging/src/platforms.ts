/** The platforms that have a Rust server: the npm package of each, and how its program is built. */
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

export interface Platform {
  /** The end of the package's name: `@twin-ingest/server-NAME`. */
  readonly name: string;
  /** The members of the package's manifest by which npm selects it. */
  readonly os: NodeJS.Platform;
  readonly cpu: NodeJS.Architecture;
  readonly libc?: 'glibc' | 'musl';
  /** The target of rustc. */
  readonly triple: string;
  /** The oldest glibc that the program runs with. zig links for it. */
  readonly glibc?: string;
}

/** The oldest glibc of supported distributions, that of RHEL 7; Node 20 itself needs 2.28. */
export const GLIBC = '2.17';

export const PLATFORMS: readonly Platform[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    triple: 'x86_64-unknown-linux-gnu',
    glibc: GLIBC,
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    triple: 'aarch64-unknown-linux-gnu',
    glibc: GLIBC,
  },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl', triple: 'x86_64-unknown-linux-musl' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl', triple: 'aarch64-unknown-linux-musl' },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64', triple: 'x86_64-apple-darwin' },
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', triple: 'aarch64-apple-darwin' },
  { name: 'win32-x64', os: 'win32', cpu: 'x64', triple: 'x86_64-pc-windows-gnu' },
];

export function platformNamed(name: string): Platform {
  const platform = PLATFORMS.find((one) => one.name === name);
  if (platform === undefined)
    throw new Error(`unknown platform ${name}; there is ${PLATFORMS.map((one) => one.name).join(', ')}`);
  return platform;
}

/** Returns the name of the program. */
export function programName({ os }: Pick<Platform, 'os'>): string {
  return os === 'win32' ? 'ingest-server.exe' : 'ingest-server';
}

/** Returns the path of the program that `buildBinary` makes. */
export function binaryOf(platform: Platform): string {
  const target = process.env.CARGO_TARGET_DIR ?? `${ROOT}target`;
  return `${target}/${platform.triple}/release/${programName(platform)}`;
}
