/** Reads the methods of typed calls and the types of their arguments from `contract/rpc.json`. */
import RPC from '../../../contract/rpc.json' with { type: 'json' };

/** The types of rules RPC-04 and RPC-05: a dictionary by its name, a sequence by the name of its items. */
export interface Parameter {
  readonly type: string;
  readonly parameters_of?: string;
  readonly optional?: boolean;
}

export const METHODS: Readonly<Record<string, readonly Parameter[]>> = Object.fromEntries(
  Object.entries(RPC.methods).map(([name, { params }]) => [name, params]),
);
export const DICTIONARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = RPC.dictionaries;

/** Returns the type of a sequence's items; `undefined` for any other type. */
export function itemOf(type: string): string | undefined {
  return /^sequence<(.+)>$/.exec(type)?.[1];
}
