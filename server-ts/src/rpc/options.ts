/** Checks the types of options, which are the query parameters of a route (rule RPC-05). */
import { PARAMETERS, VOCABULARY } from '../contract.ts';
import { Problem } from './problem.ts';
import type { Type } from './schema.ts';
import { isDictionary } from './values.ts';

const MESSAGES = VOCABULARY.rpc_messages;

/** The query parameters of a call by name, before validation. */
export type Options = readonly (readonly [name: string, text: string])[];

/** Returns the options of a call, in the order of the route's parameters. */
export function readOptions(
  given: unknown,
  type: Extract<Type, { readonly kind: 'options' }>,
): Options | Problem {
  if (!isDictionary(given)) return Problem.ofType(type);
  const options: [string, string][] = [];
  for (const { name, type: kind } of type.route.parameters.map((key) => PARAMETERS[key])) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    if (value === null) continue;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return new Problem(MESSAGES.string).under(name);
      options.push([name, value]);
    } else if (typeof value === 'number' && kind === 'integer') {
      options.push([name, String(value)]);
    } else {
      return new Problem(MESSAGES.option).under(name);
    }
  }
  return options;
}
