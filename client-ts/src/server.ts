/**
 * Defines the address of a server and how to reach it, for every part of the client.
 *
 * Invariant: an invalid base URL is refused before the first request, since retries would never succeed.
 */
import { runtimeFetch, socketFetch } from '#fetch';
import { CLOCK, type Clock } from './clock.ts';
import type { Fetch } from './fetch.ts';

export interface ServerOptions {
  /** `http://127.0.0.1:3141`; omit it in a page that the server itself serves. Other values throw a `TypeError`. */
  readonly baseUrl?: string;
  /**
   * In Node: the Unix domain socket of a server with `--socket`. `baseUrl` is then optional. In a page it throws a
   * `TypeError`.
   */
  readonly socketPath?: string;
  /** Token of a server that requires one. */
  readonly token?: string;
  /** The global one by default; in Node that of `fetch-node.ts` (decision 30). */
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  /** Returns numbers from 0 to 1, for waits between attempts. */
  readonly random?: () => number;
}

export interface Server {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Default time limit of a request. */
export const REQUEST_MS = 30_000;

/** Fills in defaults. Throws a `TypeError` for an invalid base URL. */
export function serverOf({
  socketPath,
  baseUrl = socketPath ? 'http://127.0.0.1' : '',
  token,
  fetch,
  clock,
  random,
}: ServerOptions): Server {
  // Without a base URL, a page addresses its own server; elsewhere only the caller's `fetch` knows the address.
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

/** Returns whether the URL is absolute and a path can follow it. `fetch` refuses URLs with a user or a password. */
function isBaseUrl(text: string): boolean {
  return /^https?:\/\/[^?#@\s]+$/i.test(text) && URL.canParse(text);
}
