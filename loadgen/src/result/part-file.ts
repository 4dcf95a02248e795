/**
 * The file of a suite's result (decisions 22 and 68). Each suite is measured separately, with its own commit and
 * machine. A full run on committed sources replaces the committed file below `docs/suites/`.
 */
import type { BinaryResult } from '../binary/result.ts';
import type { CodecsResult } from '../codecs/result.ts';
import type { SuiteName } from '../plan/suite-options.ts';
import type { RpcResult } from '../rpc/result.ts';
import type { SyncResult } from '../sync/result.ts';
import { readableJson, rounded, writeChecked } from './json.ts';

/** The committed results. A suite that was not measured is absent. */
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

const DIGITS = 4;

/** Writes the result of a suite with four significant digits. */
export function putPart(name: SuiteName, part: object, file: string): Promise<void> {
  return writeChecked(readableJson(rounded(part, DIGITS)), file, `#/$defs/${name}`);
}
