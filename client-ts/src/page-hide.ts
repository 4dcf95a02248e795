/** Detects when a page may be about to close; does nothing without a page. */

/** The parts of a browser that Node lacks. */
interface Page {
  readonly document?: { readonly visibilityState: string };
  readonly addEventListener?: (
    type: string,
    heard: () => void,
    options: { readonly signal: AbortSignal; readonly capture: boolean },
  ) => void;
}

/**
 * Calls `flush` when the page is hidden, because a hidden page may be closed without a further event
 * (https://developer.mozilla.org/docs/Web/API/Document/visibilitychange_event).
 */
export function onPageHide(flush: () => void, signal: AbortSignal): void {
  const page = globalThis as unknown as Page;
  const options = { signal, capture: true };
  page.addEventListener?.('pagehide', flush, options);
  const turn = () => {
    if (page.document?.visibilityState === 'hidden') flush();
  };
  page.addEventListener?.('visibilitychange', turn, options);
}
