/**
 * The two databases that servers get copies of, one that is full and one that has grown, and what is asked of
 * a closed file.
 *
 * What must stay true: both are closed, so that one file is the whole database, and are read through the view
 * `events_readable` alone.
 */
import { rm, stat } from 'node:fs/promises';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { BenchFailure } from '../failure.ts';
import { type BaseFile, preload } from '../preload.ts';
import { type LoadContext, specOf } from './load.ts';
import { NEWEST, OLDEST, withRare } from './rare.ts';

/** Rare rows, `events` small ones, rare rows. */
export async function makeFull(events: number, target: TargetName, context: LoadContext): Promise<BaseFile> {
  const oldest = await withRare(OLDEST, null, target, context.launch);
  const filled = await fill('full', events, target, context, oldest);
  const whole = await withRare(NEWEST, filled, target, context.launch);
  await rm(filled.file);
  return whole;
}

/** `events` small ones. */
export function makeGrown(events: number, target: TargetName, context: LoadContext): Promise<BaseFile> {
  return fill('grown', events, target, context);
}

async function fill(
  title: string,
  events: number,
  target: TargetName,
  context: LoadContext,
  base?: BaseFile,
): Promise<BaseFile> {
  const added: BaseFile = { file: '', rows: events };
  const spec = specOf({ title, base: added, rate_events_per_s: null, warmup_events: 0 });
  const { launch, progress } = context;
  const how = {
    launch,
    progress,
    target,
    crew: context.crews.small,
    ...(base === undefined ? {} : { base }),
  };
  return { file: await preload(spec, how), rows: events + (base?.rows ?? 0) };
}

export interface FileFacts {
  /** Of the file without the bytes of its events' metadata, per event. */
  readonly beyond_metadata_per_event: number;
  /** The session with the most events. */
  readonly common_session: string;
}

export async function factsOf({ file, rows }: BaseFile): Promise<FileFacts> {
  const { size } = await stat(file);
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const [found, metadata] = database
      .prepare<[], [number, number]>(
        'SELECT count(*), sum(length(CAST(metadata AS BLOB))) FROM events_readable',
      )
      .raw()
      .get()!;
    if (found !== rows)
      throw new BenchFailure('audit_failed', `the full database holds ${found} rows, not ${rows}`);
    const common_session = database
      .prepare<[], string>(
        'SELECT session_id FROM events_readable GROUP BY session_id ORDER BY count(*) DESC, session_id LIMIT 1',
      )
      .pluck()
      .get()!;
    return { beyond_metadata_per_event: (size - metadata) / rows, common_session };
  } finally {
    database.close();
  }
}
