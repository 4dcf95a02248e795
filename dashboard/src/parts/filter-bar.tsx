/** Controls of the feed: search, filters, pause. */
import { signal } from '@preact/signals';
import type { Counted } from '../api.ts';
import { isHeld, isPaused, letIn, receipt, waits } from '../feed.ts';
import { FILTER_NAMES, type FilterName } from '../filters.ts';
import { legible, whole } from '../format.ts';
import { labelOf } from '../labels.ts';
import { getJson } from '../request.ts';
import {
  clearFilters,
  filters,
  hasFilters,
  isFiltered,
  search,
  setFilter,
  startSearch,
  typeSearch,
} from '../view.ts';
import { toTop } from './feed.tsx';
import { SearchLine } from './search-progress.tsx';

export const SEARCH_ID = 'search';

/**
 * The filters with a list of values. A list of sessions would be too long; users select sessions where they are shown.
 */
const CHOSEN = FILTER_NAMES.filter((name) => name !== 'session_id');

type Options = Readonly<Partial<Record<FilterName, readonly Counted[]>>>;
const isOpen = signal(false);
const options = signal<Options>({});

export function FilterBar() {
  const count = FILTER_NAMES.filter((name) => filters.value[name]).length;
  return (
    <div class="feed-bar">
      <div class="feed-tools">
        <h2 id="feed-title">Events</h2>
        <input
          id={SEARCH_ID}
          type="search"
          placeholder="Search everything stored  ( / )"
          aria-label="Search everything stored"
          autocomplete="off"
          spellcheck={false}
          value={search.value}
          onInput={(event) => typeSearch(event.currentTarget.value)}
          onKeyDown={onSearchKey}
        />
        <span class="spring" />
        <ReceivedCount />
        <button type="button" aria-expanded={isOpen.value} aria-controls="filters" onClick={toggle}>
          Filters{count > 0 && <span class="count">{count}</span>}
        </button>
        <PauseButton />
      </div>
      <SearchLine />
      <div id="filters" class="filters" hidden={!isOpen.value}>
        {CHOSEN.map((name) => (
          <FilterSelect key={name} name={name} />
        ))}
      </div>
      {hasFilters.value && <Chips />}
    </div>
  );
}

/** Enter searches at once, Escape removes the text, and the down arrow goes to the events. */
function onSearchKey(event: KeyboardEvent): void {
  if (event.key === 'Enter') startSearch();
  else if (event.key === 'Escape' && search.value !== '') typeSearch('');
  else if (event.key === 'ArrowDown') document.getElementById('feed')?.focus();
  else return;
  event.preventDefault();
}

/**
 * Shows the number of events since the dashboard was opened. It is hidden with a filter, since the page then receives
 * only some events.
 */
function ReceivedCount() {
  const at = receipt.value;
  if (at === null || isFiltered.value) return null;
  const { count, missing, first, last } = at;
  return (
    <span class="dim number received" title={`Of the events ${first} to ${last}`}>
      {whole(count)} since opened, {missing === 0 ? 'none missing' : `${whole(missing)} not read`}
    </span>
  );
}

/** Opens or closes the list, and fetches its values whenever it opens. */
function toggle(): void {
  isOpen.value = !isOpen.value;
  if (!isOpen.value) return;
  getJson<Options>('/api/filter-options')
    .then((answer) => {
      options.value = answer;
    })
    .catch(() => undefined);
}

function FilterSelect({ name }: { readonly name: FilterName }) {
  const chosen = filters.value[name] ?? '';
  const list = options.value[name] ?? [];
  const isListed = chosen === '' || list.some((one) => one.name === chosen);
  return (
    <div>
      <label for={`filter-${name}`}>{labelOf(name)}</label>
      <select
        id={`filter-${name}`}
        value={chosen}
        onChange={(event) => setFilter(name, event.currentTarget.value)}
      >
        <option value="">any</option>
        {!isListed && <option value={chosen}>{legible(chosen, 80)}</option>}
        {list.flatMap(({ name: value, count }) =>
          value === null
            ? []
            : [
                <option key={value} value={value}>
                  {legible(value, 80)} ({whole(count)})
                </option>,
              ],
        )}
      </select>
    </div>
  );
}

function Chips() {
  return (
    <ul class="chips" aria-label="Filters in use">
      {FILTER_NAMES.map((name) => {
        const value = filters.value[name];
        if (!value) return null;
        return (
          <li key={name}>
            <button
              type="button"
              class="chip"
              title="Take this filter away"
              onClick={() => setFilter(name, undefined)}
            >
              <span class="dim">{labelOf(name)}</span> <span class="text">{legible(value, 80)}</span>
              <span aria-hidden="true"> ×</span>
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" class="quiet" onClick={clearFilters}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

function PauseButton() {
  const { count, isMore } = waits.value;
  const isWaiting = isHeld.value && count > 0;
  return (
    <>
      {isWaiting && (
        <button type="button" class="waits number" onClick={goOn}>
          {whole(count)}
          {isMore && '+'} new ↑
        </button>
      )}
      <button
        type="button"
        class="pause"
        aria-pressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        {isPaused.value ? 'Resume' : 'Pause'}
      </button>
    </>
  );
}

/** Shows the waiting rows; a paused feed stays paused. */
function goOn(): void {
  letIn();
  toTop();
}
