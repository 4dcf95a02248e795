/** Shows what a search has found and how far a long search has come, with a button that stops it. */
import { entryCount, hasMore, isLoaded } from '../feed.ts';
import { dateTime, whole } from '../format.ts';
import { longSearch } from '../long-search.ts';
import { sought } from '../view.ts';

/** The line below the search box. */
export function SearchLine() {
  if (sought.value === '') return null;
  return (
    <p class="search-line number">
      {isLoaded.value && (
        <span>
          {whole(entryCount.value)}
          {hasMore.value && '+'} found
        </span>
      )}
      {longSearch.value !== null && <Progress />}
    </p>
  );
}

/** The same for a long search by filters alone, above the feed. */
export function SearchProgress() {
  if (sought.value !== '' || longSearch.value === null) return null;
  return (
    <p class="feed-search number">
      <Progress />
    </p>
  );
}

function Progress() {
  const { backTo, count, stop } = longSearch.value!;
  return (
    <>
      <span role="status">
        Searched {backTo !== null && `back to ${dateTime(new Date(backTo)).slice(0, 16)}, `}
        {whole(count)} events
      </span>
      <button type="button" class="quiet" onClick={stop}>
        Stop
      </button>
    </>
  );
}
