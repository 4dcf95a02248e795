/** A name that filters the feed by itself, and removes the filter again. */

import type { FilterName } from '../filters.ts';
import { legible } from '../format.ts';
import { filters, setFilter } from '../view.ts';

interface FilterButtonProps {
  readonly name: FilterName;
  readonly value: string;
}

export function FilterButton({ name, value }: FilterButtonProps) {
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
