/**
 * Typed calls (contract, "Typed calls"): `const { total_events } = await rpcOf({ baseUrl }).stats.get()`.
 *
 * A call is not repeated. It rejects with an `RpcError`, or with a `RefusedError` if the server refused the whole
 * request. The client checks arguments before sending them, and results of typed methods on arrival.
 */
import { within } from './deadline.ts';
import type { CallFormat } from './format.ts';
import { refusalOf } from './refusal.ts';
import { argumentProblem, type Problem, resultProblem } from './rpc-check.ts';
import { METHODS, type Rpc } from './rpc-methods.ts';
import { REQUEST_MS, type ServerOptions, serverOf } from './server.ts';

export type { Problem } from './rpc-check.ts';
export type { Dict, NestedDict, Rpc } from './rpc-methods.ts';

export interface RpcOptions extends ServerOptions {
  /** Format of bodies and answers; JSON by default. The other is `msgpackCalls` of the entry point `msgpack`. */
  readonly format?: CallFormat;
  /** Whether the client checks arguments and results; `true` by default. The server always does. */
  readonly checks?: boolean;
  /** Time limit of a call, after which it rejects with a `TimeoutError`, in milliseconds; 30,000 by default. */
  readonly request_ms?: number;
  readonly signal?: AbortSignal;
  /** Called with the `Server-Timing` of each answer (RPC-07). */
  readonly onTiming?: (text: string) => void;
}

/** The method failed. */
export class RpcError extends Error {
  /** A JSON-RPC 2.0 code, such as -32602 for an invalid argument. */
  readonly code: number;
  /**
   * For -32602: the position and the required value. For -32000: the server's error, with its `code` of
   * `vocabulary.json`.
   */
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

const INVALID_PARAMS = -32602;

const JSON_CALLS: CallFormat = {
  type: 'application/json',
  call: JSON.stringify,
  response: (response) => response.json(),
};

/** Creates a caller of all methods. Each call is one request. */
export function rpcOf(options: RpcOptions = {}): Rpc {
  const { request_ms = REQUEST_MS, signal = new AbortController().signal, checks = true } = options;
  const { format = JSON_CALLS, onTiming } = options;
  const { baseUrl, headers, fetch, clock } = serverOf(options);
  let id = 0;

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const problem = checks ? argumentProblem(method, params) : null;
    if (problem !== null) throw new RpcError(INVALID_PARAMS, `${method}: ${textOf(problem)}`, problem);
    const body = format.call({ jsonrpc: '2.0', method, params, id: ++id });
    return within(request_ms, clock, signal, async (end) => {
      const response = await fetch(`${baseUrl}/api/rpc`, {
        method: 'POST',
        headers: { 'content-type': format.type, accept: format.type, ...headers },
        body,
        signal: end,
      });
      if (!response.ok) throw await refusalOf(response);
      onTiming?.(response.headers.get('server-timing') ?? '');
      return resultOf(method, await format.response(response), checks);
    });
  }

  const caller: Record<string, Record<string, unknown>> = {};
  for (const method of Object.keys(METHODS)) {
    const [group, name] = method.split('.') as [string, string];
    caller[group] ??= {};
    caller[group][name] = (...params: unknown[]) => call(method, params);
  }
  return caller as unknown as Rpc;
}

function resultOf(method: string, answer: unknown, checks: boolean): unknown {
  const { result, error } = Object(answer) as {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  };
  if (error !== undefined) throw new RpcError(error.code, `${method}: ${error.message}`, error.data);
  const problem = checks ? resultProblem(method, result) : null;
  if (problem !== null)
    throw new TypeError(`${method} gave a result that breaks its type: ${textOf(problem)}`);
  return result;
}

function textOf({ path, message }: Problem): string {
  return `${path} ${message}`.trimStart();
}
