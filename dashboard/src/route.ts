/** The part of the address after `#`: which page is shown. An ordinary link changes it, so the back button works. */
import { effect, signal } from '@preact/signals';

const SESSION = '#/session/';

/** The id of the session whose page is shown; null: the overview. */
export const sessionPage = signal<string | null>(idIn(location.hash));

export function sessionHref(id: string): string {
  return `${SESSION}${encodeURIComponent(id)}`;
}

function idIn(hash: string): string | null {
  if (!hash.startsWith(SESSION)) return null;
  try {
    return decodeURIComponent(hash.slice(SESSION.length)) || null;
  } catch {
    return null;
  }
}

/** Follows links and the browser's history; each page begins at its top, unless the browser returns to it. */
export function followRoute(): void {
  const read = () => {
    sessionPage.value = idIn(location.hash);
  };
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
  effect(() => {
    if (sessionPage.value !== null) scrollTo(0, 0);
  });
}
