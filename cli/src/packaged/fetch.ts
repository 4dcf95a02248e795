/** The client's `#fetch` in the package, which has no undici: it needs Node 22. It sends as the commands do. */
import type { Fetch } from '@twin-ingest/client';
import { request } from '../request.ts';

export const runtimeFetch: Fetch = request;

/** Throws: no command opens the socket of a server. */
export const socketFetch = (_socketPath: string): Fetch => {
  throw new TypeError('no command opens a socket');
};
