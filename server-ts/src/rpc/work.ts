/** Describes calls that were read, and what each is to do. */
import { LIMITS } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import type { Place } from './arguments.ts';
import type { Options } from './options.ts';
import type { Refusal, RpcError } from './refusal.ts';
import type { Method } from './schema.ts';
import { printWithMinusZero } from './values.ts';

/** The calls of a body. */
export interface Calls {
  /** In their order. */
  readonly calls: readonly Call[];
  /** Whether they are answered by an array. */
  readonly isBatch: boolean;
}

/** One call. */
export interface Call {
  /** Its `id` as JSON text; a call without one gets no response. */
  readonly id: string | undefined;
  /** What is to be done. */
  readonly work: Work;
}

/** What a call is to do: nothing where it is at fault, or where its result is known. */
export type Work =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The result is JSON text. */
  | { readonly kind: 'echo'; readonly result: string | Uint8Array }
  /** The array of its events lies in the body. */
  | ({ readonly kind: 'ingest'; readonly format: Format } & Place)
  | { readonly kind: 'events' | 'stats' | 'sessions'; readonly options: Options }
  | { readonly kind: 'snapshot'; readonly topic: string; readonly options: Options };

/** What depends on the request and on the server. */
export interface Reading {
  /** Whether the methods of measurements exist (rule RPC-06). */
  readonly hasBench: boolean;
  /** Whether results say that a zero is negative (rule RPC-04). */
  readonly keepsMinusZero: boolean;
}

/** The one response to a body that has no calls. */
export function refused(error: RpcError): Calls {
  return { calls: [{ id: 'null', work: { kind: 'refused', refusal: { error } } }], isBatch: false };
}

/** The calls that were read of so many, where those are not too many. */
export function callsOf(calls: readonly Call[], count: number, isBatch: boolean): Calls {
  return count >= 1 && count <= LIMITS.rpc_batch_calls ? { calls, isBatch } : refused('invalid_request');
}

/** What a method does with arguments that are of its types; `printed` is the first of them as JSON text, where that is known. */
export function workOf(
  { service, parameters }: Method,
  checked: readonly unknown[],
  printed: string | Uint8Array | undefined,
  { keepsMinusZero }: Reading,
): Work {
  const [first, second = []] = checked as [unknown, Options | undefined];
  switch (service) {
    case 'echo':
      // What is printed as it was sent has no -0.
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
