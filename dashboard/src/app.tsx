/** The dashboard: its landmarks in reading order, and the keys that work everywhere. */
import { useEffect } from 'preact/hooks';
import { isDrawn } from './drawn.ts';
import { Announcer } from './parts/announcer.tsx';
import { Breakdown } from './parts/breakdown.tsx';
import { Charts } from './parts/charts.tsx';
import { Detail } from './parts/detail.tsx';
import { Failed } from './parts/failed.tsx';
import { Feed } from './parts/feed.tsx';
import { FilterBar, SEARCH_ID } from './parts/filter-bar.tsx';
import { Header } from './parts/header.tsx';
import { Headline } from './parts/headline.tsx';
import { ServerPanel } from './parts/server-panel.tsx';
import { SessionPage } from './parts/session/page.tsx';
import { Sessions } from './parts/sessions.tsx';
import { SpendingPanel } from './parts/spending-panel.tsx';
import { StorageWarning } from './parts/storage-warning.tsx';
import { Tiles } from './parts/tiles.tsx';
import { Tools } from './parts/tools.tsx';
import { sessionPage } from './route.ts';

export function App() {
  useEffect(() => {
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link; the address keeps naming the page. */}
      <a class="skip" href="#feed" onClick={skipToEvents}>
        Skip to the events
      </a>
      <Header />
      <main>
        <StorageWarning />
        {sessionPage.value === null ? <Overview /> : <SessionPage id={sessionPage.value} />}
      </main>
      <Detail />
      <Announcer />
    </>
  );
}

function Overview() {
  return (
    <>
      <Headline />
      <Tiles />
      <Charts />
      <div class="columns">
        <Sessions />
        <section class="panel feed-panel" aria-labelledby="feed-title">
          <FilterBar />
          <Feed />
        </section>
        <div class="side">
          {isDrawn.value && (
            <>
              <Failed />
              <SpendingPanel />
              <Tools />
              <Breakdown />
              <ServerPanel />
            </>
          )}
        </div>
      </div>
    </>
  );
}

/** Moves the focus without a change of the address, which names the page. */
function skipToEvents(event: Event): void {
  event.preventDefault();
  document.getElementById(sessionPage.value === null ? 'feed' : 'timeline')?.focus();
}

/** Handles `/`, except in a text field. */
function focusSearch(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (target instanceof Element && target.closest('input, select, textarea, dialog') !== null) return;
  event.preventDefault();
  document.getElementById(SEARCH_ID)?.focus();
}
