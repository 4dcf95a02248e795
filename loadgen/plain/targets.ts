/**
 * The plain servers: the same subset of the API as a tutorial would write it, one per language (decision 67).
 *
 * They have the command line and the ready line of the products, so that every tool that takes a `Target` can run them.
 */
import { ROOT, TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

const RS_BINARY = TARGETS.rs.artefact.replace(/[^/]+$/, 'plain-ingest');
const TS_SOURCE = `${ROOT}loadgen/plain/typescript/main.ts`;

/** The plain servers by language. Each is compared with the product in its language. */
export const PLAIN_TARGETS: Readonly<Record<TargetName, Target>> = {
  rs: {
    ...TARGETS.rs,
    label: 'Rust, plain (axum + rusqlite)',
    command: RS_BINARY,
    artefact: RS_BINARY,
    sources: [
      'loadgen/plain/rust',
      'loadgen/plain/sql',
      'contract/VERSION',
      'contract/pragmas.sql',
      '.cargo',
      'rust-toolchain.toml',
    ],
    hasOtherBuilds: false,
    build: 'plain:build',
  },
  ts: {
    ...TARGETS.ts,
    label: 'TypeScript, plain (express + better-sqlite3)',
    args: [TS_SOURCE],
    // Node runs the source directly, so no build can be older than it.
    artefact: TS_SOURCE,
    sources: [],
    build: 'plain:build',
  },
};
