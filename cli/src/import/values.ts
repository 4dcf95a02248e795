/** Finds values in a line of a transcript by their paths, and reads them as fields of events. */
import FIELDS from '../../../contract/fields.json' with { type: 'json' };
import type { Conditions, Entry, FieldRule } from './mapping.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

interface FieldSpec {
  readonly kind: string;
  readonly bytes?: number;
}

const SPECS: Readonly<Record<string, FieldSpec>> = FIELDS.fields;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value at a path with dots. A path goes into each object of an array, and is then an array. */
export function valueAt(value: unknown, path: string): unknown {
  const steps = path.split('.');
  let found: unknown = value;
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(found)) {
      const rest = steps.slice(at).join('.');
      const items = found.map((item) => valueAt(item, rest)).filter((item) => item != null);
      return items.length === 0 ? undefined : items;
    }
    if (!isObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found ?? undefined;
}

/** Returns the value of the first path that has one. */
export function firstAt(value: unknown, paths: readonly string[]): unknown {
  for (const path of paths) {
    const found = valueAt(value, path);
    if (found !== undefined && found !== '') return found;
  }
  return undefined;
}

/** Returns the text of a text or number; `undefined` for any other value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** Returns whether the value at a path is, or holds, one of the texts. */
function isAmong(line: unknown, path: string, texts: readonly string[]): boolean {
  const value = valueAt(line, path);
  return [value]
    .flat()
    .some((one) => one !== undefined && (texts.includes('*') || texts.includes(String(one))));
}

export function holdsAll(line: unknown, conditions: Conditions = {}): boolean {
  return Object.entries(conditions).every(([path, texts]) => isAmong(line, path, texts));
}

export function holdsAny(line: unknown, conditions: Conditions = {}): boolean {
  return Object.entries(conditions).some(([path, texts]) => isAmong(line, path, texts));
}

/** Returns the values of the rules as fields. A value that breaks its field's rule counts as absent, as in hooks. */
export function fieldsOf(line: unknown, rules: readonly FieldRule[] = []): JsonObject {
  return Object.fromEntries(
    rules.flatMap(({ field, keys, less = [] }) => {
      let value: unknown = fieldValue(field, firstAt(line, keys));
      for (const path of less) {
        const part = fieldValue(field, valueAt(line, path));
        if (typeof value === 'number' && typeof part === 'number') value = Math.max(0, value - part);
      }
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

/** Returns the value if an event may have it in that field (rules EVT-04 to EVT-07). */
export function fieldValue(field: string, value: unknown): string | number | undefined {
  const { kind, bytes = 0 } = SPECS[field]!;
  if (kind === 'integer') return isCount(value) ? value : undefined;
  if (kind === 'dollars') return typeof value === 'number' && value >= 0 && value <= 1e6 ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '' || !value.isWellFormed()) return undefined;
  return value.includes('\0') || Buffer.byteLength(value.trim()) > bytes ? undefined : value.trim();
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns the text after the last `/` or `\`, ignoring such characters at the end, as in hooks. */
export function lastSegment(path: unknown): unknown {
  return typeof path === 'string' ? path.replace(/[/\\]+$/, '').replace(/^.*[/\\]/s, '') : undefined;
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

/** Returns the members of an entry's metadata; texts of a list are joined. */
export function metadataOf(line: JsonObject, { metadata = {} }: Pick<Entry, 'metadata'>): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([name, paths]) => {
      const value = firstAt(line, paths);
      if (value === undefined) return [];
      const isText = Array.isArray(value) && value.every((one) => typeof one === 'string');
      return [[name, isText ? value.join('\n') : value]];
    }),
  );
}
