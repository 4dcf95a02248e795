/** Where a server is, and how to speak to it: what every part of the client is told. */
import { runtimeFetch } from '#fetch';
import { CLOCK, type Clock } from './clock.ts';
import type { Fetch } from './fetch.ts';

export interface ServerOptions {
  /** `http://127.0.0.1:3141`; in a page that the server itself serves, nothing. */
  readonly baseUrl?: string;
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

/** What was not said, filled in. */
export function serverOf({ baseUrl = '', token, fetch, clock, random }: ServerOptions): Server {
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    fetch: fetch ?? runtimeFetch,
    clock: clock ?? CLOCK,
    random: random ?? Math.random,
  };
}
