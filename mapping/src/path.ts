/**
 * Finds values by their paths: keys joined by `/` (contract/mapping.md).
 *
 * Pure. A path goes into each object of an array, and then has several values.
 */
import { isObject, type Place } from './problems.ts';

/** What paths are read from. */
export interface Source {
  /** Returns the value of a first key; `undefined` without one. */
  get(key: string): unknown;
}

export interface Path {
  /** As it is written in the mapping. */
  readonly text: string;
  /** The first key; `$parent/KEY` for an attribute of the parent. */
  readonly key: string;
  readonly rest: readonly string[];
}

/** First keys that a source supplies in addition to those of a record. */
export interface PathScope {
  readonly ids: readonly string[];
  readonly hasParent: boolean;
  readonly hasEach: boolean;
}

export const EACH = '$each';
const PARENT = '$parent';
/** The first keys of attributes of the parent. */
export const PARENT_PREFIX = `${PARENT}/`;
const ESCAPE = /~([01])/g;

export function compilePath(value: unknown, place: Place, scope: PathScope): Path {
  const text = place.text(value);
  if (/~(?![01])/.test(text)) place.problem(`${text} has a ~ that is neither ~0 nor ~1`);
  const keys = text.split('/').map((key) => key.replace(ESCAPE, (_, digit) => (digit === '1' ? '/' : '~')));
  if (text !== '' && keys.includes('')) place.problem(`${text} has an empty key`);
  const [first, second] = keys as [string, string | undefined];
  if (first === PARENT && second !== undefined && scope.hasParent)
    return { text, key: PARENT_PREFIX + second, rest: keys.slice(2) };
  const isKnown = !text.startsWith('$') || scope.ids.includes(text) || (first === EACH && scope.hasEach);
  if (!isKnown) place.problem(`${text} is no path here`);
  return { text, key: first, rest: keys.slice(1) };
}

/** Returns the values at a path: several if it goes through an array. */
export function valuesAt(source: Source, { key, rest }: Path): readonly unknown[] {
  const first = source.get(key);
  if (rest.length === 0) return first === undefined ? [] : [first];
  return valuesIn(first, rest, 0);
}

/** Returns the value at a path; a list if it goes through an array. `undefined` without one. */
export function valueAt(source: Source, { key, rest }: Path): unknown {
  const first = source.get(key);
  return rest.length === 0 ? first : memberAt(first, rest);
}

/** Returns the value that keys lead to inside of another one. */
export function memberAt(value: unknown, keys: readonly string[]): unknown {
  let found = value;
  for (const [at, key] of keys.entries()) {
    if (Array.isArray(found)) {
      const values = valuesIn(found, keys, at);
      return values.length === 0 ? undefined : values;
    }
    found = memberOf(found, key);
  }
  return found ?? undefined;
}

function valuesIn(value: unknown, rest: readonly string[], at: number): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const key of rest.slice(at)) values = itemsOf(values).map((item) => memberOf(item, key));
  return values.filter((found) => found != null);
}

/** Returns the values that are no arrays, and the items of those that are. A loop, since a line may be nested deep. */
function itemsOf(values: readonly unknown[]): readonly unknown[] {
  if (!values.some(Array.isArray)) return values;
  const items: unknown[] = [];
  const stack = [values.values()];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { value, done } = top.next();
    if (done) stack.pop();
    else if (Array.isArray(value)) stack.push(value.values());
    else items.push(value);
  }
  return items;
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Returns the text of a value: the text itself, or the JSON of a scalar. An object or a list has none. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? undefined : String(value);
}

/** Reads the members of an object. */
export class ObjectSource implements Source {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #each: unknown;

  /** `each` is the value of `$each`. */
  constructor(object: Readonly<Record<string, unknown>>, each?: unknown) {
    this.#object = object;
    this.#each = each;
  }

  get(key: string): unknown {
    if (key === EACH) return this.#each;
    return memberOf(this.#object, key) ?? undefined;
  }
}
