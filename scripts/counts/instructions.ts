/**
 * Counts the instructions of an event in server-rs, from its body to its commit, by valgrind's callgrind. V8 compiles
 * at run time, so the TypeScript server has no such count.
 */
import { join } from 'node:path';
import { type Bulk, storeBulk } from './bulk.ts';

/** Returns instructions per event. */
export async function countInstructions(folder: string, bulk: Bulk): Promise<number> {
  const out = `--callgrind-out-file=${join(folder, 'callgrind.out')}`;
  const stderr = await storeBulk('rs', folder, bulk, ['valgrind', '--tool=callgrind', out]);
  const counted = /Collected\s*:\s*(\d+)/.exec(stderr)?.[1];
  if (counted === undefined) throw new Error('callgrind printed no count');
  return Number(counted) / bulk.events;
}
