/** Shows how far a long search has come, with a button that stops it. */
import { dateTime } from '../format.ts';
import { longSearch } from '../long-search.ts';

export function SearchProgress() {
  const search = longSearch.value;
  if (search === null) return null;
  const { backTo, stop } = search;
  return (
    <p class="feed-search" role="status">
      {backTo === null ? 'Searching…' : `Searched back to ${dateTime(new Date(backTo))}`}
      <button type="button" class="quiet" onClick={stop}>
        Stop
      </button>
    </p>
  );
}
