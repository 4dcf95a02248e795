/**
 * Where a server is, and how to speak to it: what every part of the client is told.
 *
 * Invariant: a base URL that no request can reach is refused before the first request, since each of those would only
 * be repeated.
 */
import { runtimeFetch, socketFetch } from '#fetch';
import { CLOCK, type Clock } from './clock.ts';
import type { Fetch } from './fetch.ts';

export interface ServerOptions {
  /** `http://127.0.0.1:3141`; in a page that the server itself serves, nothing. Others throw a `TypeError`. */
  readonly baseUrl?: string;
  /** In Node: the Unix domain socket of a server with `--socket`. Then `baseUrl` may be left out. A page throws a `TypeError`. */
  readonly socketPath?: string;
  /** Of a server that wants one. */
  readonly token?: string;
  /** The global one unless given; in Node that of `fetch-node.ts` (decision 30). */
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  /** From 0 to 1, for waits between attempts. */
  readonly random?: () => number;
}

export interface Server {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How long a request may take unless another time is given. */
export const REQUEST_MS = 30_000;

/** What was not said, filled in. Throws a `TypeError` for a base URL that is none. */
export function serverOf({
  socketPath,
  baseUrl = socketPath ? 'http://127.0.0.1' : '',
  token,
  fetch,
  clock,
  random,
}: ServerOptions): Server {
  // Without one, a page asks its own server; elsewhere only a `fetch` of the caller's knows where that is.
  const isOwn = baseUrl === '' && (fetch !== undefined || 'location' in globalThis);
  if (!isOwn && !isBaseUrl(baseUrl))
    throw new TypeError(`baseUrl must be like http://127.0.0.1:3141, not ${JSON.stringify(baseUrl)}`);
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    fetch: fetch ?? (socketPath === undefined ? runtimeFetch : socketFetch(socketPath)),
    clock: clock ?? CLOCK,
    random: random ?? Math.random,
  };
}

/** Absolute, and one that a path can follow; `fetch` refuses those with a user or a password. */
function isBaseUrl(text: string): boolean {
  return /^https?:\/\/[^?#@\s]+$/i.test(text) && URL.canParse(text);
}
