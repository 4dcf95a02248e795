/**
 * Follows counters from record to record: numbers that rise, and fall when they are reset (contract/mapping.md).
 *
 * Invariant: a record changes a counter once, however often its mapping names it.
 */
import { wholeOf } from './field.ts';
import { type Path, type Source, valueAt } from './path.ts';

interface Counter {
  value: number;
  /** What it rose by with the newest record; `undefined` if that record lacks it. */
  rise: number | undefined;
  /** How often it fell. */
  falls: number;
}

/** The counters of one file. */
export class Counters {
  readonly #counters = new Map<string, Counter>();

  /** Takes the values of a record. Requires each path once. */
  take(paths: readonly Path[], source: Source): void {
    for (const path of paths) {
      const value = wholeOf(valueAt(source, path), false);
      const known = this.#counters.get(path.text);
      if (value === undefined) {
        if (known !== undefined) known.rise = undefined;
      } else if (known === undefined) {
        this.#counters.set(path.text, { value, rise: value, falls: 0 });
      } else {
        const hasFallen = value < known.value;
        known.rise = hasFallen ? value : value - known.value;
        known.falls += Number(hasFallen);
        known.value = value;
      }
    }
  }

  /** Returns what a counter rose by with the newest record. */
  rise(path: Path): number | undefined {
    return this.#counters.get(path.text)?.rise;
  }

  /** Returns a name for the value of the newest record, which no earlier value has; `undefined` without one. */
  name(path: Path): string | undefined {
    const counter = this.#counters.get(path.text);
    if (counter?.rise === undefined) return undefined;
    return counter.falls === 0 ? String(counter.value) : `${counter.value}/${counter.falls}`;
  }
}
