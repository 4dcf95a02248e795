/** Describes why a call has no result (rules RPC-02, RPC-03 and RPC-05). */
import type { VOCABULARY } from '../contract.ts';
import type { Problem } from './problem.ts';

/** A key of `rpc_errors`. */
export type RpcError = keyof typeof VOCABULARY.rpc_errors;

/** Reasons why a call has no result. */
export interface Refusal {
  readonly error: RpcError;
  /** Further data, as JSON text. */
  readonly data?: string;
}

/** Returns the refusal of invalid arguments (rule RPC-03). */
export function refusalOf({ path, message }: Problem): Refusal {
  return { error: 'invalid_params', data: JSON.stringify({ path, message }) };
}
