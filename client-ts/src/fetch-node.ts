/**
 * `Fetch` on undici's own interface, in Node. The global `fetch` also uses undici, but takes a quarter to a half
 * longer for one small exchange (decision 30).
 *
 * Invariant: callers cannot distinguish it from the global `fetch`. It does not follow redirects, which no server of
 * the contract sends.
 */
import { Agent } from 'undici';
import { Exchange } from './exchange-node.ts';
import type { Fetch, RequestOptions, ResponseLike } from './fetch.ts';

/**
 * The client's own agent. Node's global agent may belong to another version, or be replaced by a proxy. `bodyTimeout`
 * is 0, because the client itself limits the silence of a body.
 */
const dispatcher = new Agent({ bodyTimeout: 0 });

/** One agent per socket path; idle connections close. */
const sockets = new Map<string, Agent>();

function agentOf(socketPath: string): Agent {
  const agent = sockets.get(socketPath) ?? new Agent({ bodyTimeout: 0, connect: { socketPath } });
  sockets.set(socketPath, agent);
  return agent;
}

/** Sends to this Unix domain socket; the URL then only supplies the Host and the path. */
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
    // The address or a header is invalid.
    exchange.fail(error);
  }
  return answer.promise;
}
