/** Reads the lines of a transcript as objects, and the texts of their values. */
import { isObject, type JsonObject } from '@twin-ingest/mapping/problems.ts';

/** Returns the text of a text or number; `undefined` for any other value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** Returns the object of a JSON text; `null` for any other text. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns texts as lines of one text, any other value unchanged. */
export function joined(value: unknown): unknown {
  const isText = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isText ? value.join('\n') : value;
}
