/** Reads the lines of a transcript as objects, and the texts of their values. */
import { isObject, type JsonObject } from '@twin-ingest/mapping/problems.ts';

/** Returns the text of a text or number; `undefined` for any other value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** The first millisecond of the year 0000, and the last of 9999. */
const [LEAST_MS, MOST_MS] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** Returns the Unix milliseconds of a timestamp; `NaN` for one that no event may have (rule EVT-08). */
export function timeOf(value: unknown): number {
  const text = textOf(value) ?? '';
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  return ms >= LEAST_MS && ms <= MOST_MS ? ms : Number.NaN;
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
