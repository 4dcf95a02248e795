/**
 * Declares the client's HTTP interface: the part of `fetch` that it uses, so that tests and other runtimes can
 * replace it.
 *
 * Invariant: the global `fetch` satisfies it (https://fetch.spec.whatwg.org/#fetch-method). `#fetch` of package.json
 * is this module in browsers, and `fetch-node.ts` in Node, with the same names (decision 30).
 */

export interface RequestOptions {
  /** `GET` by default. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal | null;
  /** For proxies only: a server of the contract needs no cache directive. */
  readonly cache?: 'no-store';
  /** In a browser: the request outlives the page. */
  readonly keepalive?: boolean;
}

/** The caller reads its body once: as JSON, through its reader, or not at all for status 304. */
export interface ResponseLike {
  readonly status: number;
  /** True for statuses from 200 to 299. */
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
  json(): Promise<unknown>;
}

export interface BodyReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  /** Stops reading and drops the connection. */
  cancel(): Promise<void>;
}

/**
 * Rejects with the reason of an aborted signal, otherwise with the connection's error. Reading the body rejects in
 * the same way.
 */
export type Fetch = (url: string, options: RequestOptions) => Promise<ResponseLike>;

// A browser's `fetch` must be called on its window. It is read at each call, so that a later replacement takes effect.
export const runtimeFetch: Fetch = (url, options) => globalThis.fetch(url, options);

/** Throws: a page cannot open Unix domain sockets. `fetch-node.ts` supports them. */
export const socketFetch = (_socketPath: string): Fetch => {
  throw new TypeError('socketPath needs Node: a page cannot open a socket');
};
