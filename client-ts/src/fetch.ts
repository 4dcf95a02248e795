/**
 * What the client asks of HTTP: the part of `fetch` that it uses, so that tests and other runtimes may bring their own.
 *
 * What must stay true: the global `fetch` is one (https://fetch.spec.whatwg.org/#fetch-method). `#fetch` of package.json
 * is this module in browsers, and `fetch-node.ts` in Node, with the same names (decision 30).
 */

export interface RequestOptions {
  /** `GET` unless said otherwise. */
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal | null;
  /** For whatever stands between; a server of the contract asks for no cache. */
  readonly cache?: 'no-store';
  /** Of a browser: outlives the page. */
  readonly keepalive?: boolean;
}

/** Its body is read once: as JSON, by its reader, or not at all where the status is 304. */
export interface ResponseLike {
  readonly status: number;
  /** From 200 to 299. */
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
  json(): Promise<unknown>;
}

export interface BodyReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  /** No more is read, and the connection is given up. */
  cancel(): Promise<void>;
}

/**
 * Rejects with the reason of its signal once that is aborted, else with what became of the connection; so does whoever
 * reads the body.
 */
export type Fetch = (url: string, options: RequestOptions) => Promise<ResponseLike>;

// A browser's fetch wants to be called on its window; looked up late, since whoever replaces it means it.
export const runtimeFetch: Fetch = (url, options) => globalThis.fetch(url, options);

/** A page has no Unix domain socket; `fetch-node.ts` has. */
export const socketFetch = (_socketPath: string): Fetch => {
  throw new TypeError('socketPath needs Node: a page cannot open a socket');
};
