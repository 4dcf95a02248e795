/** Values of a suite's figures by key, and outcomes of its goals. Each suite has its own table of figures. */

/** Values by key as they come. */
export class ValuesByKey<Key extends string> {
  readonly #order: readonly Key[];
  readonly #values = new Map<Key, number[]>();

  /** `order`: of the table. */
  constructor(order: readonly Key[]) {
    this.#order = order;
  }

  /** `null` was not measured, and leaves no value. */
  add(found: Readonly<Partial<Record<Key, number | null>>>): void {
    for (const [key, value] of Object.entries(found) as [Key, number | null][]) {
      if (value === null) continue;
      if (!Number.isFinite(value)) throw new RangeError(`${key} is ${value}`);
      const values = this.#values.get(key);
      if (values === undefined) this.#values.set(key, [value]);
      else values.push(value);
    }
  }

  /** In the order of the table; a figure without a value is absent. */
  entries(): (readonly [Key, readonly number[]])[] {
    return this.#order.flatMap((key) => {
      const values = this.#values.get(key);
      return values === undefined ? [] : [[key, values] as const];
    });
  }

  lists(): Readonly<Partial<Record<Key, readonly number[]>>> {
    return Object.fromEntries(this.entries()) as Partial<Record<Key, readonly number[]>>;
  }
}

/** What a goal came to. */
export interface Outcome {
  readonly found: number | null;
  readonly goal: number | null;
  /** Found over goal; `null` where there is none of either. */
  readonly share: number | null;
  readonly isMet: boolean | null;
}

/** What was not measured does not reach a goal. */
export function outcome(found: number | null, goal: number | null, better: 'higher' | 'lower'): Outcome {
  const share = found === null || goal === null || goal === 0 ? null : found / goal;
  const isMet = share === null ? null : better === 'higher' ? share >= 1 : share <= 1;
  return { found, goal, share, isMet };
}
