/**
 * `Fetch` over undici's own interface, in Node: the global `fetch`, which is undici too, takes a quarter to a half
 * longer for one small exchange (decision 30).
 *
 * What must stay true: whoever follows cannot tell it from the other. A redirect, which no server of the contract sends,
 * is an answer like any other.
 */
import { Agent } from 'undici';
import { Exchange } from './exchange-node.ts';
import type { Fetch, RequestOptions, ResponseLike } from './fetch.ts';

/**
 * Of our own: that which Node's `fetch` has may be of another version, or somebody's proxy. How long a body may be
 * silent is for the client to say, which learns it of a stream.
 */
const dispatcher = new Agent({ bodyTimeout: 0 });

/** One for each socket that was named; its connections end when they are idle. */
const sockets = new Map<string, Agent>();

function agentOf(socketPath: string): Agent {
  const agent = sockets.get(socketPath) ?? new Agent({ bodyTimeout: 0, connect: { socketPath } });
  sockets.set(socketPath, agent);
  return agent;
}

/** The client sends to this Unix domain socket; the URL is then only the Host and the path. */
export const socketFetch = (socketPath: string): Fetch => {
  const agent = agentOf(socketPath);
  return (url, options) => fetchBy(agent, url, options);
};

export const runtimeFetch: Fetch = (url, options) => fetchBy(dispatcher, url, options);

function fetchBy(
  agent: Agent,
  url: string,
  { method = 'GET', headers, body, signal }: RequestOptions,
): Promise<ResponseLike> {
  const answer = Promise.withResolvers<ResponseLike>();
  const exchange = new Exchange(answer, signal);
  try {
    const { origin, pathname, search } = new URL(url);
    if (!exchange.isOver)
      agent.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, exchange);
  } catch (error) {
    // An address or a header that is none.
    exchange.fail(error);
  }
  return answer.promise;
}
