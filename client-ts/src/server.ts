/** Where a server is, and how to speak to it: what every part of the client is told. */
import { CLOCK, type Clock } from './clock.ts';
import type { Fetch } from './connection.ts';

export interface ServerOptions {
  /** `http://127.0.0.1:3141`; in a page that the server itself serves, nothing. */
  readonly baseUrl?: string;
  /** Of a server that wants one. */
  readonly token?: string;
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

/** What was not said, filled in. */
export function serverOf({ baseUrl = '', token, fetch, clock, random }: ServerOptions): Server {
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    // A browser's fetch wants to be called on its window.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: clock ?? CLOCK,
    random: random ?? Math.random,
  };
}
