/** Describes calls and the work that each requests. */
import { LIMITS } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import type { Place } from './arguments.ts';
import type { Options } from './options.ts';
import type { Refusal, RpcError } from './refusal.ts';
import type { Method } from './schema.ts';
import { printWithMinusZero } from './values.ts';

/** The calls of a body. */
export interface Calls {
  /** The calls, in order. */
  readonly calls: readonly Call[];
  /** Whether the response is an array. */
  readonly isBatch: boolean;
}

/** One call. */
export interface Call {
  /** Its `id` as JSON text; a call without one gets no response. */
  readonly id: string | undefined;
  /** The requested work. */
  readonly work: Work;
}

/** The work of a call; a refused call and a known result need none. */
export type Work =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The result as JSON text. */
  | { readonly kind: 'echo'; readonly result: string | Uint8Array }
  /** The span of its array of events in the body. */
  | ({ readonly kind: 'ingest'; readonly format: Format } & Place)
  | { readonly kind: 'events' | 'stats' | 'sessions'; readonly options: Options }
  | { readonly kind: 'snapshot'; readonly topic: string; readonly options: Options };

/** Facts about the request and the server that reading depends on. */
export interface Reading {
  /** Whether the methods of measurements exist (rule RPC-06). */
  readonly hasBench: boolean;
  /** Whether results keep the sign of -0 (rule RPC-04). */
  readonly keepsMinusZero: boolean;
}

/** Returns the one response to a body without calls. */
export function refused(error: RpcError): Calls {
  return { calls: [{ id: 'null', work: { kind: 'refused', refusal: { error } } }], isBatch: false };
}

/** Returns the calls, unless their number exceeds the limit. */
export function callsOf(calls: readonly Call[], count: number, isBatch: boolean): Calls {
  return count >= 1 && count <= LIMITS.rpc_batch_calls ? { calls, isBatch } : refused('invalid_request');
}

/**
 * Returns the work of a method with arguments of its types. `printed` is the first argument as JSON text, if known.
 */
export function workOf(
  { service, parameters }: Method,
  checked: readonly unknown[],
  printed: string | Uint8Array | undefined,
  { keepsMinusZero }: Reading,
): Work {
  const [first, second = []] = checked as [unknown, Options | undefined];
  switch (service) {
    case 'echo':
      // Text that prints exactly as sent has no -0.
      if (printed !== undefined) return { kind: 'echo', result: printed };
      if (keepsMinusZero) return { kind: 'echo', result: printWithMinusZero(first, parameters[0]!.type) };
      return { kind: 'echo', result: JSON.stringify(first) };
    case 'ingest':
      return { kind: 'ingest', format: 'json', ...(first as Place) };
    case 'snapshot':
      return { kind: 'snapshot', topic: first as string, options: second };
    default:
      return { kind: service, options: (first ?? []) as Options };
  }
}
