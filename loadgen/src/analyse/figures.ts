/**
 * Collects the values of a suite's figures by key, and compares figures with goals. Each suite has its own table of
 * figures.
 */

/** Collects values by key. */
export class ValuesByKey<Key extends string> {
  readonly #values: ReadonlyMap<Key, number[]>;

  /** `order` is the order of the keys in the table of figures. */
  constructor(order: readonly Key[]) {
    this.#values = new Map(order.map((key) => [key, []]));
  }

  /** Adds at most one value per key. `null` means not measured and adds nothing. */
  add(found: Readonly<Partial<Record<Key, number | null>>>): void {
    for (const [key, value] of Object.entries(found) as [Key, number | null][]) {
      if (value === null) continue;
      if (!Number.isFinite(value)) throw new RangeError(`${key} is ${value}`);
      this.#values.get(key)!.push(value);
    }
  }

  /** Returns the values of each figure in the order of the table. A figure without values is absent. */
  lists(): Readonly<Partial<Record<Key, readonly number[]>>> {
    const measured = [...this.#values].filter(([, values]) => values.length > 0);
    return Object.fromEntries<readonly number[]>(measured) as Partial<Record<Key, readonly number[]>>;
  }
}

/** A figure compared with its goal. */
export interface Outcome {
  readonly found: number | null;
  readonly goal: number | null;
  /** `found` divided by `goal`; `null` when either is missing or the goal is 0. */
  readonly share: number | null;
  readonly isMet: boolean | null;
}

/** Compares a figure with its goal. `isMet` is `null` when the figure was not measured or there is no goal. */
export function outcome(found: number | null, goal: number | null, better: 'higher' | 'lower'): Outcome {
  const share = found === null || goal === null || goal === 0 ? null : found / goal;
  const isMet = share === null ? null : better === 'higher' ? share >= 1 : share <= 1;
  return { found, goal, share, isMet };
}
