/** Reads values in parsed JSON: by pointer, by reference, and compared. */
import type { Json, JsonObject } from '../contract-facts.ts';

export function resolve(openapi: JsonObject, value: JsonObject): JsonObject | undefined {
  const name = value.$ref;
  return typeof name === 'string' ? (at(openapi, name.slice(1)) as JsonObject | undefined) : value;
}

/** Returns the value at a JSON pointer (RFC 6901). */
export function at(value: Json, pointer: string): Json | undefined {
  let current: Json | undefined = value;
  for (const token of pointer.split('/').slice(1)) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as JsonObject)[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return current;
}

export function same(where: string, got: Json | undefined, wanted: Json): string[] {
  const [a, b] = [JSON.stringify(got) ?? 'absent', JSON.stringify(wanted)];
  return a === b ? [] : [`${where}: is ${a}, not ${b}`];
}
