/**
 * A run that repeats another one: where a trial would size the rounds of a closed loop, they are as long as those of
 * the earlier result (decision 28).
 *
 * What must stay true: only the numbers of events are taken over, and only between measurements that have the same load
 * in all else; what cannot be repeated is refused before anything is measured.
 */
import { violations } from './export/json.ts';
import { BenchFailure } from './failure.ts';
import { measurementNamed, type Result } from './result.ts';
import { readResult } from './result-file.ts';
import type { Spec } from './spec.ts';

/** Of a workload, what has to be the same before a number of events means the same. */
const LOAD = [
  'connections',
  'batch_size',
  'duration_s',
  'durability',
  'max_metadata_bytes',
  'ids',
  'preload_events',
  'stream_clients',
] as const;

/** Throws `cannot_repeat` where the file is no result, or has no such measurement. */
export async function repeatFile(specs: readonly Spec[], file: string): Promise<Spec[]> {
  const earlier = await readResult(file, violations);
  if (typeof earlier === 'string') throw new BenchFailure('cannot_repeat', earlier);
  return repeat(specs, earlier);
}

/** Throws `cannot_repeat` where the earlier result lacks what a trial would size. */
export function repeat(specs: readonly Spec[], earlier: Result): Spec[] {
  return specs.map((spec) => (sizedByTrial(spec) ? { ...spec, workload: sizedAs(spec, earlier) } : spec));
}

/** A closed loop with a length in seconds. */
function sizedByTrial({ rate, workload }: Spec): boolean {
  return rate === null && workload.events === null;
}

function sizedAs({ name, workload }: Spec, earlier: Result): Spec['workload'] {
  const found = measurementNamed(earlier, name)?.workload;
  const refuse = (why: string) => new BenchFailure('cannot_repeat', `${name} cannot be repeated: ${why}`);
  if (found === undefined || found === null) throw refuse('the earlier result has no such measurement');
  const other = LOAD.filter((key) => found[key] !== workload[key]);
  if (other.length > 0)
    throw refuse(other.map((key) => `${key} was ${found[key]}, not ${workload[key]}`).join(', '));
  if (found.events === null || found.warmup_events === null)
    throw refuse('the earlier result does not say how many events its rounds had');
  return { ...workload, events: found.events, warmup_events: found.warmup_events };
}
