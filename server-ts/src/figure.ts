/**
 * The figures that are summed up over events, as the contract describes them (`contract/figures.json`).
 *
 * Sums are arrays by figure. Of each table the generated lists say which figures it keeps, in the order of its columns.
 */
import { LIMITS } from './contract.ts';
import { BOUND, type Sums } from './figure/table.ts';

export {
  addCall,
  addEvent,
  addStep,
  MEASURES,
  type Measure,
  type Member,
  measure,
  NUMBERS,
  OF_SESSIONS,
  OF_STATS,
  RARE_OF_SESSIONS,
  RARE_OF_STATS,
  SERIES,
  type Sums,
  USUAL_OF_SESSIONS,
  USUAL_OF_STATS,
  WORDS,
} from './figure/table.ts';

/** Zeros that V8 stores as doubles, like all copies of them: an array keeps the kind of what it once held. */
const ZEROS: Sums = Array.from({ length: BOUND + 1 }, () => 0.5).fill(0);

/** Returns the sums of no event. */
export function noSums(): Sums {
  return ZEROS.slice();
}

/** Returns whether no sum would pass 2^53-1 with these figures (rule STA-06). */
export function hasRoom(sums: Sums, figures: Sums): boolean {
  return sums[BOUND]! + figures[BOUND]! <= LIMITS.max_integer;
}

/** Returns those sums that are in this list. */
export function pick<T>(sums: readonly T[], figures: readonly number[]): T[] {
  return figures.map((at) => sums[at]!);
}
