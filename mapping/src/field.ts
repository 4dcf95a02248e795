/**
 * The fields that a mapping may give, and the values that they may have (rules EVT-04 to EVT-12).
 *
 * Pure. A value that breaks the rule of its field counts as absent.
 */
import FIELDS from '../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };

export type FieldKind = 'text' | 'choice' | 'integer' | 'dollars';
export type FieldValue = string | number;

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isTrimmed: boolean;
  readonly maxBytes: number;
  /** The words of a choice. */
  readonly words: readonly string[];
}

interface Spec {
  readonly kind: string;
  readonly trimmed?: boolean;
  readonly bytes?: number;
  readonly values?: string;
}

/** Fields that follow from the rule, the name or the record. */
const FIXED = ['event_id', 'event_type', 'source', 'source_event'];
const KINDS = ['text', 'choice', 'integer', 'dollars'];
const WORDS = VOCABULARY as unknown as Readonly<Record<string, readonly string[]>>;
const DIGITS = /^[0-9]+$/;

const ALL: ReadonlyMap<string, Field> = new Map(
  Object.entries(FIELDS.fields as Readonly<Record<string, Spec>>)
    .filter(([, { kind }]) => KINDS.includes(kind))
    .map(([name, { kind, trimmed = false, bytes = Number.POSITIVE_INFINITY, values }]) => {
      const words = values === undefined ? [] : WORDS[values]!;
      return [name, { name, kind: kind as FieldKind, isTrimmed: trimmed, maxBytes: bytes, words }];
    }),
);

/** The field that has the name of the record. */
export const SOURCE_EVENT: Field = ALL.get('source_event')!;

/** Returns a field that a mapping may give. */
export function fieldOf(name: string): Field | undefined {
  return FIXED.includes(name) ? undefined : ALL.get(name);
}

/** Returns the names of all fields of an event. */
export function fieldNames(): readonly string[] {
  return Object.keys(FIELDS.fields);
}

/** Returns the value if an event may have it in that field. With `digits` a text of digits is a number. */
export function fieldValue(field: Field, value: unknown, digits: boolean): FieldValue | undefined {
  switch (field.kind) {
    case 'integer':
      return wholeOf(value, digits);
    case 'dollars': {
      const number = numberOf(value, digits);
      return number >= 0 && number <= LIMITS.max_cost_usd ? number : undefined;
    }
    case 'choice': {
      const word = typeof value === 'string' && field.isTrimmed ? value.trim() : value;
      return field.words.includes(word as string) ? (word as string) : undefined;
    }
    case 'text':
      return textValue(field, value);
  }
}

/** Returns a whole number from 0 to 2^53-1 (rule EVT-11). */
export function wholeOf(value: unknown, digits: boolean): number | undefined {
  const number = numberOf(value, digits);
  // -0 is 0.
  return number >= 0 && number <= LIMITS.max_integer && Number.isInteger(number) ? number + 0 : undefined;
}

function numberOf(value: unknown, digits: boolean): number {
  if (typeof value === 'number') return value;
  const isRead = typeof value === 'bigint' || (digits && typeof value === 'string' && DIGITS.test(value));
  return isRead ? Number(value) : Number.NaN;
}

/** Returns whether a text is well-formed Unicode without U+0000 (rule EVT-12). */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function textValue({ maxBytes }: Field, value: unknown): string | undefined {
  if (typeof value !== 'string' || !isWellFormed(value)) return undefined;
  const text = value.trim();
  return text === '' || Buffer.byteLength(text) > maxBytes ? undefined : text;
}
