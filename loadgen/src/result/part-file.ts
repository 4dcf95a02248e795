/**
 * The file of a suite's result (decision 22): the committed result for a full run on committed sources, otherwise a
 * scratch file.
 *
 * Invariant: a file is written only when it follows the schema.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Environment } from '../observe/environment.ts';
import type { SuiteName } from '../plan/suite-options.ts';
import { readableJson, rowsJson, violations } from './json.ts';
import { suiteFile } from './suite-parts.ts';

export interface Place {
  readonly file: string;
  /** Why it is not the committed result; empty when it is, or was named. */
  readonly reasons: readonly string[];
  /** Where the rows so far lie while it runs, and stay when it fails. */
  readonly unfinished: string;
}

/** `reasons`: those of the options why this is not the committed result. */
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

/** A run of half an hour that fails in its last scenario shall not leave nothing; no result is made of this. */
export async function keepUnfinished(rows: readonly object[], { unfinished }: Place): Promise<void> {
  await mkdir(dirname(unfinished), { recursive: true });
  await writeFile(unfinished, readableJson(rows));
}

/** Once the result is written, or before anything is measured: rows of an earlier run would mislead. */
export async function dropUnfinished({ unfinished }: Place): Promise<void> {
  await rm(unfinished, { force: true });
}

/** Writes the result of a suite, unless it does not follow the schema. */
export async function putPart(name: SuiteName, part: object, file: string): Promise<void> {
  const text = rowsJson(part);
  const found = await violations(JSON.parse(text), `#/$defs/${name}`);
  if (found.length > 0)
    throw new BenchFailure(
      'result_invalid',
      'the result does not follow its schema; nothing was written',
      found,
    );
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, file);
}
