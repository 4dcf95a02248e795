/** Writes the manifests of the npm packages. */

import SERVER from '../../server-ts/package.json' with { type: 'json' };
import { PLATFORMS, type Platform, programName } from './platforms.ts';

export type Manifest = Readonly<Record<string, unknown>>;

/** What all packages have, from the `package.json` at the top. */
export interface Common {
  readonly version: string;
  readonly license: string;
  readonly repository?: unknown;
}

/** The oldest Node that runs the commands; the Rust server needs none. */
export const ENGINE = '>=20';

export function serverName({ name }: Pick<Platform, 'name'>): string {
  return `@twin-ingest/server-${name}`;
}

export function commandLineManifest(
  common: Common,
  dependencies: Readonly<Record<string, string>>,
): Manifest {
  const { version } = common;
  return {
    name: 'twin-ingest',
    ...common,
    description:
      'Watch coding agents on a local dashboard: a server for their events, and commands that connect them',
    keywords: ['claude-code', 'codex', 'gemini-cli', 'opencode', 'agents', 'dashboard', 'opentelemetry'],
    type: 'module',
    bin: { 'twin-ingest': 'bin/twin-ingest.js' },
    engines: { node: ENGINE },
    dependencies,
    optionalDependencies: Object.fromEntries(PLATFORMS.map((platform) => [serverName(platform), version])),
  };
}

/** The package of `twin-ingest bench`. `twin-ingest` does not depend on it. */
export function benchManifest(common: Common, dependencies: Readonly<Record<string, string>>): Manifest {
  return {
    name: '@twin-ingest/bench',
    ...common,
    description: 'Compares the two servers of twin-ingest on your machine: npx twin-ingest bench',
    type: 'module',
    exports: { '.': './dist/main.js', './package.json': './package.json' },
    bin: { 'twin-ingest-bench': 'bin/where.js' },
    // The oldest Node that runs both servers.
    engines: SERVER.engines,
    dependencies,
  };
}

export function serverManifest(common: Common, platform: Platform): Manifest {
  const { os, cpu, libc } = platform;
  return {
    name: serverName(platform),
    ...common,
    description: `The Rust server of twin-ingest for ${platform.name}`,
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    files: [programName(platform)],
    // A package manager that keeps packages in archives must unpack a program.
    preferUnplugged: true,
  };
}
