/**
 * Describes the servers under test: how each starts, and the sources of its build.
 *
 * Every tool starts the servers by this table, so that all tools run the same two programs.
 */
import { fileURLToPath } from 'node:url';

export type TargetName = 'rs' | 'ts';

export interface Target {
  readonly name: TargetName;
  /** Label in reports. */
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Path of the built program. If it is missing, the program is "not built". */
  readonly artefact: string;
  /** Files outside of the artefact's folder that belong to the deployed server. */
  readonly parts?: readonly string[];
  /** Sources of the artefact; a newer file in them means "stale". */
  readonly sources: readonly string[];
  /** Whether other builds of the same sources write a different program to `artefact`, with a new time. */
  readonly hasOtherBuilds: boolean;
  /** Whether it computes no cost (rule PRI-04), such as a server of a test. */
  readonly hasNoPrices?: boolean;
  /** The script of package.json that builds it. */
  readonly build: string;
}

/** The root of the checkout, with a trailing slash. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const CARGO_TARGET = process.env.CARGO_TARGET_DIR ?? `${ROOT}target`;
const RS_BINARY = `${CARGO_TARGET}/release/ingest-server`;
const TS_BUNDLE = `${ROOT}server-ts/dist/main.js`;

export const TARGETS: Readonly<Record<TargetName, Target>> = {
  rs: {
    name: 'rs',
    label: 'Rust (axum + tokio)',
    command: RS_BINARY,
    args: [],
    artefact: RS_BINARY,
    sources: [
      'server-rs',
      'contract',
      'dashboard/dist',
      '.cargo',
      'Cargo.toml',
      'Cargo.lock',
      'rust-toolchain.toml',
    ],
    // A cargo build with tests and examples links the server with the dependency features that those require.
    hasOtherBuilds: true,
    build: 'rust:build',
  },
  ts: {
    name: 'ts',
    label: 'TypeScript (Node.js)',
    // Runs the Node of this process. A bare `node` may be Node 20, on which better-sqlite3 13 crashes.
    command: process.execPath,
    args: [TS_BUNDLE],
    artefact: TS_BUNDLE,
    sources: ['server-ts', 'contract', 'dashboard/dist', 'package.json', 'pnpm-lock.yaml'],
    hasOtherBuilds: false,
    build: 'ts:build',
  },
};

export const TARGET_NAMES: readonly TargetName[] = ['rs', 'ts'];

export function isTargetName(name: string): name is TargetName {
  return name === 'rs' || name === 'ts';
}
