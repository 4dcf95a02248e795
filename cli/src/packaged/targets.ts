/**
 * The servers of an installed package; the build of the package puts it in place of the testkit's `targets.ts`.
 *
 * Invariant: it exports what the testkit's module exports, so that demos start the installed programs.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target, TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { rustPackage } from './rust-package.ts';

export type { Target, TargetName };

/** The root of the package, with a trailing slash. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

const RS_BINARY = rustPackage().binary ?? '';
const TS_BUNDLE = `${ROOT}server/main.js`;
const INSTALLED = { sources: [], hasOtherBuilds: false, build: '' };

export const TARGETS: Readonly<Record<TargetName, Target>> = {
  rs: {
    ...INSTALLED,
    name: 'rs',
    label: 'Rust (axum + tokio)',
    command: RS_BINARY,
    args: [],
    artefact: RS_BINARY,
  },
  ts: {
    ...INSTALLED,
    name: 'ts',
    label: 'TypeScript (Node.js)',
    command: process.execPath,
    args: [TS_BUNDLE],
    artefact: TS_BUNDLE,
    get parts() {
      return sqliteModule();
    },
  },
};

/** Returns the native module of SQLite, which is in a package of its own. */
function sqliteModule(): string[] {
  const require = createRequire(import.meta.url);
  try {
    const folder = dirname(require.resolve('better-sqlite3/package.json'));
    const { getPrebuildPath } = require(join(folder, 'lib', 'binding.js')) as {
      getPrebuildPath(): string | null;
    };
    return [getPrebuildPath()].filter((path) => path !== null);
  } catch {
    return [];
  }
}

export const TARGET_NAMES: readonly TargetName[] = ['rs', 'ts'];

export function isTargetName(name: string): name is TargetName {
  return name === 'rs' || name === 'ts';
}
