/** Looks into a database file while a server seals the metadata of its older rows (rule STO-15). */
import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import TUNING from '../../contract/tuning.json' with { type: 'json' };
import { until } from './scenario.ts';

const BLOCK = 256;

/** Returns the number of blocks that a server seals of rows up to the newest id. */
export function sealableBlocks(newest: number): number {
  return Math.floor((newest - TUNING.sealing_kept_events) / BLOCK);
}

/** Returns the number of sealed blocks. */
export function countSealed(file: string): number {
  return read(file, (db) => Number(db.prepare('SELECT count(*) FROM sealed_texts').pluck().get()));
}

/** Waits until every block is sealed whose rows are old enough. */
export async function untilSealed(file: string, newest: number): Promise<void> {
  const blocks = sealableBlocks(newest);
  await until(() => countSealed(file) >= blocks, `${blocks} sealed blocks`, 30_000);
  read(file, (db) => {
    const oldest = Number(db.prepare('SELECT min(id) FROM event_texts').pluck().get());
    if (oldest < blocks * BLOCK) throw new Error(`the text of the row ${oldest} is still there`);
  });
}

/** Returns the bytes of the file, and those of each frame of sealed metadata. No server uses the file. */
export function everyByte(file: string): Buffer[] {
  const frames = read(file, (db) => db.prepare<[], Buffer>('SELECT texts FROM sealed_texts').pluck().all());
  return [readFileSync(file), ...frames.map((frame) => zstdDecompressSync(frame))];
}

function read<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
