/**
 * The files of results. A run writes below `.bench/`, which git ignores; `--out` names another file. Only `--publish`
 * replaces a committed result, from which `pnpm results:update` makes the documents.
 */
import { basename, join, resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Environment } from '../observe/environment.ts';
import type { Given } from '../plan/parse.ts';
import type { SuiteName } from '../plan/suite-options.ts';

/** Committed results, relative to the checkout: of `bench:full`, `bench:soak`, `bench:ladders` and `bench:peers`. */
export const RESULT = 'benchmark-results.json';
export const SOAK = 'docs/suites/soak.json';
export const LADDERS = 'docs/suites/ladders.json';
export const PEERS = 'docs/suites/peers.json';

/** Returns the committed result of a suite. */
export function suiteFile(name: SuiteName): string {
  return `docs/suites/${name}.json`;
}

/** Returns the folder of raw data, reports and results of a checkout. */
export function scratchOf(checkout: string): string {
  return join(checkout, '.bench');
}

/** Returns the file to which a run writes its result. Readers repeat a published run at its commit, so it needs one. */
export function resultFile(
  committed: string,
  { out, publish }: Pick<Given, 'out' | 'publish'>,
  { commit, dirty }: Pick<Environment, 'commit' | 'dirty'>,
  checkout = ROOT,
): string {
  if (out !== undefined) return resolve(out);
  if (!publish) return join(scratchOf(checkout), basename(committed));
  if (commit === null || dirty !== false)
    throw new BenchFailure('not_committed', '--publish measures committed sources only; commit first');
  return join(checkout, committed);
}
