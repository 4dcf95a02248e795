/**
 * `Fetch` over undici's own interface, in Node: the global `fetch`, which is undici too, takes a quarter to a half
 * longer for one small exchange (decision 30).
 *
 * What must stay true: whoever follows cannot tell it from the other. A redirect, which no server of the contract sends,
 * is an answer like any other.
 */
import { Agent } from 'undici';
import { Exchange } from './exchange-node.ts';
import type { Fetch, ResponseLike } from './fetch.ts';

/**
 * Of our own: that which Node's `fetch` has may be of another version, or somebody's proxy. How long a body may be
 * silent is for the client to say, which learns it of a stream.
 */
const dispatcher = new Agent({ bodyTimeout: 0 });

export const runtimeFetch: Fetch = (url, { method = 'GET', headers, body, signal }) => {
  const answer = Promise.withResolvers<ResponseLike>();
  const exchange = new Exchange(answer, signal);
  try {
    const { origin, pathname, search } = new URL(url);
    if (!exchange.isOver)
      dispatcher.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, exchange);
  } catch (error) {
    // An address or a header that is none.
    exchange.fail(error);
  }
  return answer.promise;
};
