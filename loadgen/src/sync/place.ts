/**
 * Where the result goes: the committed one only from a full run on committed sources, else a scratch file.
 *
 * What must stay true: into a result of `bench:compare` it is put as its part `sync`, and nothing else of that result
 * changes; any other file is the part alone. Neither is written unless it follows the schema.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ROOT, TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Environment } from '../environment.ts';
import { readableJson, violations, writeResult } from '../export/json.ts';
import { BenchFailure } from '../failure.ts';
import { COMMITTED_RESULT } from '../plan.ts';
import type { Result } from '../result.ts';
import type { SyncRunOptions } from './options.ts';
import { SCENE_NAMES, type SyncResult, type SyncRow } from './sync-result.ts';

export const SCRATCH_SYNC = resolve(ROOT, '.bench/sync.json');

/** The rows so far of a run whose result nobody named a file for. */
const UNFINISHED_SYNC = resolve(ROOT, '.bench/unfinished-sync.json');

export interface Place {
  readonly file: string;
  /** Why it is not the committed result; empty when it is, or was named. */
  readonly reasons: readonly string[];
  /** Where the rows so far lie while it runs, and stay when it fails. */
  readonly unfinished: string;
}

export function placeOf(options: SyncRunOptions, { commit, dirty }: Environment): Place {
  if (options.out !== undefined) {
    const file = resolve(options.out);
    return { file, reasons: [], unfinished: `${file}.unfinished` };
  }
  const reasons = [
    ...(options.quick ? ['a quick run'] : []),
    ...(options.targets.length < TARGET_NAMES.length ? ['one server alone'] : []),
    ...(options.scenes.length < SCENE_NAMES.length ? ['not all scenes'] : []),
    ...(options.build ? [] : ['not built from these sources']),
    ...(commit === null || dirty !== false ? ['sources that are not committed'] : []),
  ];
  const file = reasons.length === 0 ? COMMITTED_RESULT : SCRATCH_SYNC;
  return { file, reasons, unfinished: UNFINISHED_SYNC };
}

/** A run of half an hour that fails in its last scene shall not leave nothing; no result is made of this. */
export async function keepUnfinished(rows: readonly SyncRow[], { unfinished }: Place): Promise<void> {
  await mkdir(dirname(unfinished), { recursive: true });
  await writeFile(unfinished, readableJson(rows));
}

/** Once the result is written, or before anything is measured: rows of an earlier run would mislead. */
export async function dropUnfinished({ unfinished }: Place): Promise<void> {
  await rm(unfinished, { force: true });
}

export async function putSync(sync: SyncResult, file: string): Promise<void> {
  const before = await readWhole(file);
  if (before !== null) {
    await writeResult({ ...before, sync }, file);
    return;
  }
  const text = readableJson(sync);
  const found = await violations(JSON.parse(text), '#/$defs/sync');
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
