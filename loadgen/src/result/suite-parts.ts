/**
 * The committed results of the suites, one file per suite below `docs/suites/` (decision 68).
 *
 * Each suite is measured separately, with its own commit and machine. A suite that was not measured is absent.
 */
import type { BinaryResult } from '../binary/result.ts';
import type { CodecsResult } from '../codecs/result.ts';
import type { SuiteName } from '../plan/suite-options.ts';
import type { RpcResult } from '../rpc/result.ts';
import type { SyncResult } from '../sync/result.ts';

export interface SuiteParts {
  readonly sync?: SyncResult;
  readonly codecs?: CodecsResult;
  readonly binary?: BinaryResult;
  readonly rpc?: RpcResult;
}

/** Names of the suites in the order of the documents. */
export const SUITE_NAMES: readonly SuiteName[] = ['sync', 'codecs', 'binary', 'rpc'];

/** Returns the path of a suite's committed result, relative to the checkout. */
export function suiteFile(name: SuiteName): string {
  return `docs/suites/${name}.json`;
}
