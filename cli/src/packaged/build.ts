/**
 * Checks that servers are installed; the build of the package puts it in place of the testkit's `build.ts`.
 *
 * Invariant: an installed package builds nothing.
 */
import { existsSync } from 'node:fs';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import type { Building, Freshness, NamedProgram } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { rustPackage } from './rust-package.ts';

/** Invariant: only a checkout asks, which has sources. */
export function freshnessOf(): Promise<Freshness> {
  return Promise.resolve('fresh');
}

export function buildStale(programs: readonly NamedProgram[], _how: Building): Promise<TargetName[]> {
  const missing = programs.find(({ program }) => !existsSync(program.artefact));
  if (missing === undefined) return Promise.resolve([]);
  const source = missing.name === 'rs' ? (rustPackage().name ?? 'a Rust server for this platform') : 'a file';
  return Promise.reject(new Failure('not_built', `${source} of this installation is missing`));
}
