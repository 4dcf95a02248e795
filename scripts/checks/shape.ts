/** Checks the shape of a mapping in `contract/`; each check returns its problems. */
import type { Json, JsonObject } from '../contract-facts.ts';

/** A list of such texts. */
export function listOf(list: Json, words: readonly string[], where: string): string[] {
  return Array.isArray(list) ? list.flatMap((value) => oneOf(value, words, where)) : [`${where} is no array`];
}

/** A text that is one of these words. */
export function oneOf(value: Json | undefined, words: readonly string[] = [], where: string): string[] {
  const known = typeof value === 'string' && words.includes(value);
  return known ? [] : [`${where} ${JSON.stringify(value)} is none of ${words.join(' ')}`];
}

/** Members of an object that are none of these. */
export function unknownKeys(value: JsonObject, known: readonly string[], where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}${key} means nothing`);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of texts, none of them empty. */
export function texts(list: Json | undefined, where: string): string[] {
  const isRight = Array.isArray(list) && list.every((text) => typeof text === 'string' && text !== '');
  return isRight ? [] : [`${where} is no list of texts`];
}

/** What an event is about, so that two about the same thing are one (rule OTL-09). */
export function checkSame(same: Json, where: string): string[] {
  if (!isObject(same)) return [`${where} is no object`];
  return [
    ...unknownKeys(same, ['kind', 'key'], `${where}: `),
    ...['kind', 'key']
      .filter((key) => typeof same[key] !== 'string' || same[key] === '')
      .map((key) => `${where}: ${key} is no text`),
  ];
}
