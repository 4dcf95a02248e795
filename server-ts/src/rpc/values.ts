/**
 * Checks values against types, and prints them (rules RPC-03 and RPC-04).
 *
 * Pure. Builds one check for each type.
 */
import { LIMITS, VOCABULARY } from '../contract.ts';
import { Problem } from './problem.ts';
import type { Type } from './schema.ts';

const MESSAGES = VOCABULARY.rpc_messages;

/** Returns the value to print, or its problem. It may change the value, which no other code holds. */
export type Check = (value: unknown) => unknown;

/** The members of an object. */
type Dictionary = Record<string, unknown>;

/** Returns the check of a type. */
export function checkOf(type: Type): Check {
  switch (type.kind) {
    case 'long':
      return scalar(type, (value) => Number.isInteger(value) && Number(value) === (Number(value) | 0));
    case 'double':
      return scalar(type, Number.isFinite);
    case 'boolean':
      return scalar(type, (value) => typeof value === 'boolean');
    case 'string':
      return scalar(type, (value) => typeof value === 'string' && value.isWellFormed());
    case 'any':
      return (value) => value;
    case 'sequence':
      return sequence(type, checkOf(type.item));
    case 'dictionary':
      return dictionary(type);
    // The module `options` reads these values.
    case 'options':
      return () => Problem.ofType(type);
  }
}

/** Returns a checked value as JSON text that keeps -0, for MessagePack. */
export function printWithMinusZero(value: unknown, type: Type): string {
  switch (type.kind) {
    case 'double':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'sequence':
      return `[${(value as unknown[]).map((item) => printWithMinusZero(item, type.item)).join(',')}]`;
    case 'dictionary': {
      const members = type.members.map((member) => {
        const text = printWithMinusZero((value as Dictionary)[member.name], member.type);
        return `"${member.name}":${text}`;
      });
      return `{${members.join(',')}}`;
    }
    default:
      return JSON.stringify(value);
  }
}

function scalar(type: Type, holds: (value: unknown) => boolean): Check {
  const problem = Problem.ofType(type);
  return (value) => (holds(value) ? value : problem);
}

function sequence(type: Type, check: Check): Check {
  const problem = Problem.ofType(type);
  return (value) => {
    if (!Array.isArray(value) || value.length > LIMITS.rpc_sequence_items) return problem;
    for (let index = 0; index < value.length; index++) {
      const checked = check(value[index]);
      if (checked instanceof Problem) return checked.under(index);
      if (checked !== value[index]) value[index] = checked;
    }
    return value;
  };
}

function dictionary(type: Extract<Type, { kind: 'dictionary' }>): Check {
  const names = type.members.map(({ name }) => name);
  const checks = type.members.map((member) => checkOf(member.type));
  const problem = Problem.ofType(type);
  return (value) => {
    if (!isDictionary(value)) return problem;
    // An object with exactly the schema's members, in its order, is printed unchanged.
    const result: Dictionary = hasExactly(value, names) ? value : {};
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!;
      if (result !== value && !Object.hasOwn(value, name)) return new Problem(MESSAGES.missing).under(name);
      const given = value[name];
      const checked = checks[at]!(given);
      if (checked instanceof Problem) return checked.under(name);
      if (result !== value || checked !== given) result[name] = checked;
    }
    return result;
  };
}

function hasExactly(value: Dictionary, names: readonly string[]): boolean {
  let at = 0;
  for (const name in value) if (name !== names[at++]) return false;
  return at === names.length;
}

/** Returns whether a value is an object. */
export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
