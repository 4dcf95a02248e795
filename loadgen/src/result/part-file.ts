/**
 * The file of a suite's result (decisions 22 and 68). A full run on committed sources replaces the committed one below
 * `docs/suites/`, every other run a scratch file.
 *
 * Each suite is measured separately, with its own commit and machine. Invariant: a file is written only when it follows
 * the schema.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { BinaryResult } from '../binary/result.ts';
import type { CodecsResult } from '../codecs/result.ts';
import type { Environment } from '../observe/environment.ts';
import type { SuiteName } from '../plan/suite-options.ts';
import type { RpcResult } from '../rpc/result.ts';
import type { SyncResult } from '../sync/result.ts';
import { readableJson, rowsJson, writeChecked } from './json.ts';

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

export interface Place {
  readonly file: string;
  /** Reasons why the file is not the committed result; empty when it is, or when `--out` names the file. */
  readonly reasons: readonly string[];
  /** File with the rows so far while the suite runs. It remains when the suite fails. */
  readonly unfinished: string;
}

/** Chooses the result file. `reasons` are those of the options for not replacing the committed result. */
export function choosePlace(
  part: SuiteName,
  { out, build }: { readonly out: string | undefined; readonly build: boolean },
  { commit, dirty }: Environment,
  reasons: readonly string[],
): Place {
  if (out !== undefined) {
    const file = resolve(out);
    return { file, reasons: [], unfinished: `${file}.unfinished` };
  }
  const all = [
    ...reasons,
    ...(build ? [] : ['not built from these sources']),
    ...(commit === null || dirty !== false ? ['sources that are not committed'] : []),
  ];
  const file = all.length === 0 ? resolve(ROOT, suiteFile(part)) : resolve(ROOT, `.bench/${part}.json`);
  return { file, reasons: all, unfinished: resolve(ROOT, `.bench/unfinished-${part}.json`) };
}

/**
 * Stores the rows so far, so that a failure late in a long run does not lose them. No result is made from this file.
 */
export async function keepUnfinished(rows: readonly object[], { unfinished }: Place): Promise<void> {
  await mkdir(dirname(unfinished), { recursive: true });
  await writeFile(unfinished, readableJson(rows));
}

/** Removes unfinished rows: after the result is written, and before a run, since old rows would be misleading. */
export async function dropUnfinished({ unfinished }: Place): Promise<void> {
  await rm(unfinished, { force: true });
}

export function putPart(name: SuiteName, part: object, file: string): Promise<void> {
  return writeChecked(rowsJson(part), file, `#/$defs/${name}`);
}
