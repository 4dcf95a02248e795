/**
 * Checks values against the types of typed calls, as a server does (contract, RPC-03 and RPC-04).
 *
 * Invariant: the returned problem and its path equal those of a server: the first problem in the order of the
 * arguments.
 */
import { DICTIONARIES, MESSAGES, METHODS, SEQUENCE_ITEMS } from './rpc-methods.ts';

/** A problem of a value, and its position as a JSON Pointer (RFC 6901). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

type Check = (value: unknown) => Problem | null;

const wrong = (message: string, path = ''): Problem => ({ path, message });
const CHECKS = new Map<string, Check>();

/** Checks the arguments of a method that the client knows. */
export function argumentProblem(method: string, given: readonly unknown[]): Problem | null {
  const [params] = METHODS[method]!;
  for (const [at, [type, isOptional]] of params.entries()) {
    const value = given[at];
    if (isOptional && (value === undefined || value === null)) continue;
    if (at >= given.length || value === undefined) return wrong(MESSAGES.missing, `/${at}`);
    const problem = checkOf(type)(value);
    if (problem !== null) return wrong(problem.message, `/${at}${problem.path}`);
  }
  return given.length > params.length ? wrong(MESSAGES.unexpected, `/${params.length}`) : null;
}

/** Checks a result whose type is in `rpc.json`. */
export function resultProblem(method: string, result: unknown): Problem | null {
  const type = METHODS[method]![1];
  return type === null ? null : checkOf(type)(result);
}

/** Returns the check of a type, which is built once. */
function checkOf(type: string): Check {
  let check = CHECKS.get(type);
  if (check === undefined) {
    check = makeCheck(type);
    CHECKS.set(type, check);
  }
  return check;
}

function makeCheck(type: string): Check {
  const item = /^sequence<(\w+)>$/.exec(type)?.[1];
  if (item !== undefined) return sequenceOf(checkOf(item));
  const members = DICTIONARIES[type];
  if (members !== undefined) return dictionaryOf(Object.entries(members));
  switch (type) {
    case 'long':
      return (value) => (value === (Number(value) | 0) ? null : wrong(MESSAGES.long));
    case 'double':
      return (value) => (Number.isFinite(value) ? null : wrong(MESSAGES.double));
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? null : wrong(MESSAGES.boolean));
    case 'DOMString':
      return (value) => (typeof value === 'string' && value.isWellFormed() ? null : wrong(MESSAGES.string));
    case 'options':
      // The server checks the parameters of the route.
      return (value) => (isObject(value) ? null : wrong(MESSAGES.dictionary));
    default:
      return () => null;
  }
}

function sequenceOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length > SEQUENCE_ITEMS) return wrong(MESSAGES.sequence);
    for (let at = 0; at < value.length; at++) {
      const problem = check(value[at]);
      if (problem !== null) return wrong(problem.message, `/${at}${problem.path}`);
    }
    return null;
  };
}

function dictionaryOf(members: readonly (readonly [string, string])[]): Check {
  const checks = members.map(([name, type]) => [name, checkOf(type)] as const);
  return (value) => {
    if (!isObject(value)) return wrong(MESSAGES.dictionary);
    for (const [name, check] of checks) {
      const member = value[name];
      const problem = member === undefined ? wrong(MESSAGES.missing) : check(member);
      if (problem !== null) return wrong(problem.message, `/${name}${problem.path}`);
    }
    return null;
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
