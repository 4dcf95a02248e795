/** When a page may be about to go for good; nothing of it where there is no page. */

/** What a browser has and Node has not. */
interface Page {
  readonly document?: { readonly visibilityState: string };
  readonly addEventListener?: (
    type: string,
    heard: () => void,
    options: { readonly signal: AbortSignal; readonly capture: boolean },
  ) => void;
}

/** A page that is hidden may never be heard of again (https://developer.mozilla.org/docs/Web/API/Document/visibilitychange_event). */
export function onPageHide(flush: () => void, signal: AbortSignal): void {
  const page = globalThis as unknown as Page;
  const options = { signal, capture: true };
  page.addEventListener?.('pagehide', flush, options);
  const turn = () => {
    if (page.document?.visibilityState === 'hidden') flush();
  };
  page.addEventListener?.('visibilitychange', turn, options);
}
