/** A name that filters the feed by itself, and removes the filter again. */

import type { FilterName } from '../filters.ts';
import { legible } from '../format.ts';
import { filters, setFilter } from '../view.ts';

interface FilterButtonProps {
  readonly name: FilterName;
  /** `null`: all names that the list leaves out, which no filter selects (contract rule GET-11). */
  readonly value: string | null;
}

export function FilterButton({ name, value }: FilterButtonProps) {
  if (value === null) return <span class="text">all others</span>;
  const isChosen = filters.value[name] === value;
  const text = legible(value);
  return (
    <button
      type="button"
      class="link text"
      aria-pressed={isChosen}
      title={text}
      onClick={() => setFilter(name, isChosen ? undefined : value)}
    >
      {text}
    </button>
  );
}
