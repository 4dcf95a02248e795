/**
 * Writes JSON in which a member is replaced by a text, repeated, or spelled in another way.
 *
 * A text is put in as it is, because the spelling is under test.
 */
import type { Random } from '../random.ts';

/** A text in the place of a value. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Several values under one key. */
class Repeated {
  readonly values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

/** A value whose key has its first character as an escape. */
class Escaped {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

export function writeJson(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, one]) => {
    if (one instanceof Repeated) return one.values.map((each) => `${JSON.stringify(key)}:${writeJson(each)}`);
    if (one instanceof Escaped) return [`"${escaped(key)}":${writeJson(one.value)}`];
    return one === undefined ? [] : [`${JSON.stringify(key)}:${writeJson(one)}`];
  });
  return `{${members.join(',')}}`;
}

/** What a hostile value does to the member at a path. */
const CHANGES = ['replace', 'before', 'after', 'key', 'parent', 'list', 'missing'] as const;
export type Change = (typeof CHANGES)[number];

export function someChange(random: Random): Change {
  return random.chance(0.5) ? 'replace' : random.pick(CHANGES);
}

/** Returns a copy of a value, in which the member at these keys is changed with a text. */
export function changed(value: unknown, keys: readonly string[], change: Change, text: string): unknown {
  const raw = new Raw(text);
  if (change === 'parent') return replaced(value, keys.slice(0, -1), () => raw);
  return replaced(value, keys, (old) => {
    switch (change) {
      case 'replace':
        return raw;
      case 'before':
        return new Repeated([raw, old ?? null]);
      case 'after':
        return new Repeated([old ?? null, raw]);
      case 'key':
        return new Escaped(raw);
      case 'list':
        return [raw, old ?? null, { [keys.at(-1)!]: raw }, [raw]];
      case 'missing':
        return undefined;
    }
  });
}

/** Returns a copy in which the value at these keys is another one. Objects on the way are made. */
export function replaced(value: unknown, keys: readonly string[], of: (old: unknown) => unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return of(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, keys, of));
  if (value instanceof Raw || value instanceof Repeated || value instanceof Escaped) return value;
  const entries: [string, unknown][] = isObject(value) ? Object.entries(value) : [];
  // A key may be `__proto__`, which an assignment would not store.
  if (!entries.some(([name]) => name === key)) entries.push([key, undefined]);
  return Object.fromEntries(
    entries.map(([name, old]) => [name, name === key ? replaced(old, rest, of) : old]),
  );
}

/** Returns the keys of a path of a mapping. */
export function keysOf(path: string): string[] {
  return path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Members of a mapping that hold paths. */
const PATHS = [
  'summary',
  'from',
  'sum',
  'less',
  'each',
  'group',
  'time',
  'id',
  'counter',
  'join',
  'begin',
  'end',
];
/** Members of a mapping whose values are paths or have them. */
const VALUES = ['fields', 'keep', 'metadata'];

/** Returns every path that a mapping, or a part of one, reads. */
export function pathsIn(mapping: unknown): string[] {
  return [...new Set(found(mapping))];
}

function found(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(found);
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'match' || name === 'unless') return Object.keys(value as object);
    if (PATHS.includes(name)) return textsIn(value);
    if (VALUES.includes(name) && isObject(value)) return Object.values(value).flatMap(textsIn);
    return found(value);
  });
}

/** Returns the texts of a value; an object inside of it is a part of a mapping. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  const { kind: _, ...rest } = value;
  const isPart = PATHS.some((name) => name in rest) || 'constant' in rest;
  return isPart ? found(rest) : Object.values(rest).flatMap(textsIn);
}

function escaped(key: string): string {
  return `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(key.slice(1)).slice(1, -1)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
