/**
 * DATA: the names of the servers for readers, the same everywhere.
 *
 * Columns are TypeScript, then Rust; a ratio is Rust over TypeScript.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Result } from '../result/result.ts';

export const SHORT_NAMES: Readonly<Record<TargetName, string>> = { ts: 'TypeScript', rs: 'Rust' };

/** Order of the servers in tables. */
export const COLUMNS: readonly TargetName[] = ['ts', 'rs'];

export function serversIn(result: Result): readonly TargetName[] {
  return COLUMNS.filter((name) => result.servers[name] !== undefined);
}
