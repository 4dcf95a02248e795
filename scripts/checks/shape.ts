/** Checks the shape of a mapping in `contract/`; each check returns its problems. */
import type { Json, JsonObject } from '../contract-facts.ts';

/** Checks that a value is a list of these words. */
export function listOf(list: Json, words: readonly string[], where: string): string[] {
  return Array.isArray(list) ? list.flatMap((value) => oneOf(value, words, where)) : [`${where} is no array`];
}

/** Checks that a text is one of these words. */
export function oneOf(value: Json | undefined, words: readonly string[] = [], where: string): string[] {
  const known = typeof value === 'string' && words.includes(value);
  return known ? [] : [`${where} ${JSON.stringify(value)} is none of ${words.join(' ')}`];
}

/** Returns a problem for each unknown key of an object. */
export function unknownKeys(value: JsonObject, known: readonly string[], where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}${key} means nothing`);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks that a value is a list of non-empty texts. */
export function texts(list: Json | undefined, where: string): string[] {
  const isRight = Array.isArray(list) && list.every((text) => typeof text === 'string' && text !== '');
  return isRight ? [] : [`${where} is no list of texts`];
}

/** Checks the subject of an event, by which duplicates are recognised (rule OTL-09). */
export function checkSame(same: Json, where: string): string[] {
  if (!isObject(same)) return [`${where} is no object`];
  return [
    ...unknownKeys(same, ['kind', 'key'], `${where}: `),
    ...['kind', 'key']
      .filter((key) => typeof same[key] !== 'string' || same[key] === '')
      .map((key) => `${where}: ${key} is no text`),
  ];
}
