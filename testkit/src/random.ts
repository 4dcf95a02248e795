/**
 * Generates seeded random numbers, so that a run can be repeated.
 *
 * Invariant: the same PRNG seed gives the same numbers on every machine. Nothing here reads a clock or `Math.random`.
 */

export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a whole number from 0 to `bound - 1`. */
  below(bound: number): number;
  pick<T>(from: readonly T[]): T;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
}

/** mulberry32, by Tommy Ettinger: 32 bits of state, more than enough for choosing test data. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)]!,
    chance: (probability) => next() < probability,
  };
}

/** Shuffles in place (Fisher-Yates). */
export function shuffle<T>(random: Random, items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const held = items[i]!;
    items[i] = items[j]!;
    items[j] = held;
  }
  return items;
}
