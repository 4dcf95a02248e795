/**
 * Seeded random numbers, so that every run can be had again.
 */

export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 up to `below`. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** mulberry32, by Tommy Ettinger: 32 bits of state, more than enough for choosing test data. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)]!,
    chance: (probability) => next() < probability,
  };
}
