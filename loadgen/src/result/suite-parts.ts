/**
 * The committed results of the suites, a file each below `docs/suites/` (decision 68).
 *
 * Each was measured by itself, with its own commit and machine; a part that was not measured is absent.
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

/** In the order of documents. */
export const SUITE_NAMES: readonly SuiteName[] = ['sync', 'codecs', 'binary', 'rpc'];

/** The committed result of a suite, as a path in the checkout. */
export function suiteFile(name: SuiteName): string {
  return `docs/suites/${name}.json`;
}
