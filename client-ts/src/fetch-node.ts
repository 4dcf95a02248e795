/**
 * `Fetch` over undici's own interface, in Node: the global `fetch`, which is undici too, takes a quarter to a half
 * longer for one small exchange (decision 30).
 *
 * What must stay true: whoever follows cannot tell it from the other. A redirect, which no server of the contract sends,
 * is an answer like any other.
 */
import { Agent, type Dispatcher, request } from 'undici';
import type { Fetch, ResponseLike } from './fetch.ts';

/** Of our own: that which Node's `fetch` has may be of another version, or somebody's proxy. */
const dispatcher = new Agent();

/** Without a body: nothing is read of it, and its connection is free at once (RFC 9110, sections 15.3.5 and 15.4.5). */
const WITHOUT_BODY: readonly number[] = [204, 304];

export const runtimeFetch: Fetch = async (url, { method = 'GET', headers, body, signal }) =>
  responseOf(await request(url, { dispatcher, method, headers, body: body ?? null, signal }));

function responseOf({ statusCode, headers, body }: Dispatcher.ResponseData): ResponseLike {
  // What breaks while nobody reads is told to whoever reads next; without a listener it would end the process.
  body.on('error', () => undefined);
  if (WITHOUT_BODY.includes(statusCode)) body.resume();
  return {
    status: statusCode,
    ok: statusCode >= 200 && statusCode < 300,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return (Array.isArray(value) ? value.join(', ') : value) ?? null;
      },
    },
    body: {
      getReader() {
        const chunks: AsyncIterator<Uint8Array, undefined> = body[Symbol.asyncIterator]();
        return { read: () => chunks.next(), cancel: async () => void body.destroy() };
      },
    },
    json: () => body.json(),
  };
}
