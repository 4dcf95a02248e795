/**
 * Sends the requests of all commands to a server.
 *
 * The global `fetch` uses the proxy of the environment (`NODE_USE_ENV_PROXY`), also for addresses of this machine, which
 * no proxy reaches. So those go by `node:http` with agents of their own. Other addresses keep the user's proxy.
 *
 * Invariant: callers cannot distinguish it from the global `fetch`, except that loopback follows no redirect.
 */
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { isLoopback } from './connect/agent.ts';
import { systemSentence } from './system-error.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | null;
}

/** `proxyEnv` is not set, so these agents read no proxy. An idle connection keeps no command from its end. */
const agent = new Agent({ keepAlive: true });
const tlsAgent = new TlsAgent({ keepAlive: true });

/** Returns the reason of a failed request, or of a failed use of a file. `fetch` has it in the `cause` of its error. */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  const sentence = systemSentence(error);
  if (sentence !== null) return sentence;
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const { code, message } = (error.cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? error.message);
}

/** Statuses whose response has no body. */
const EMPTY = [204, 205, 304];

export async function request(url: string, options: RequestOptions = {}): Promise<Response> {
  if (!isLoopback(url)) return await fetch(url, options);
  const { signal = null } = options;
  signal?.throwIfAborted();
  try {
    const incoming = await exchange(url, options);
    const status = incoming.statusCode!;
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const isEmpty = EMPTY.includes(status);
    if (isEmpty) incoming.resume();
    const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
    return new Response(body, { status, headers });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
}

function exchange(
  url: string,
  { method = 'GET', headers = {}, body, signal }: RequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isTls = url.startsWith('https:');
    const given = { method, headers, ...(signal ? { signal } : {}) };
    const sent = isTls
      ? requestHttps(url, { ...given, agent: tlsAgent })
      : requestHttp(url, { ...given, agent });
    sent.once('response', resolve).on('error', reject);
    sent.end(body);
  });
}
