/**
 * The file of a suite's result (decision 22): the committed result for a full run on committed sources, otherwise a
 * scratch file.
 *
 * Invariants: a suite adds its part to a result of `bench:compare` and changes nothing else in it; any other file is
 * the part alone. Neither is written unless it follows the schema.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Environment } from '../observe/environment.ts';
import { COMMITTED_RESULT } from '../plan/plan.ts';
import { readableJson, violations, writeResult } from './json.ts';
import type { Result } from './result.ts';

/** The parts of a result that have a suite of their own. */
export type PartName = 'sync' | 'codecs' | 'binary' | 'rpc';

export interface Place {
  readonly file: string;
  /** Why it is not the committed result; empty when it is, or was named. */
  readonly reasons: readonly string[];
  /** Where the rows so far lie while it runs, and stay when it fails. */
  readonly unfinished: string;
}

/** `reasons`: those of the options why this is not the committed result. */
export function choosePlace(
  part: PartName,
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
  const file = all.length === 0 ? COMMITTED_RESULT : resolve(ROOT, `.bench/${part}.json`);
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

export async function putPart(name: PartName, part: object, file: string): Promise<void> {
  const before = await readWhole(file);
  if (before !== null) {
    await writeResult({ ...before, [name]: part }, file);
    return;
  }
  const text = readableJson(part);
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

/** A whole result that is already there; `null` where there is no file, or one of this program's own. */
async function readWhole(file: string): Promise<Result | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const found = parsed(text);
  if (typeof found === 'object' && found !== null) {
    if ('measurements' in found) return found as Result;
    if ('rows' in found) return null;
  }
  throw new BenchFailure('result_invalid', `${file} is no result, and is not written over`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
