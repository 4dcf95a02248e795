/**
 * Computes values and chooses rules by `contract/mapping.md`: a third implementation of the language of mappings.
 *
 * Invariant: it shares no code with a server.
 */
import FIELDS from '../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };

export type Conditions = Readonly<Record<string, string | readonly string[]>>;

export interface Computed {
  readonly from?: Value;
  readonly sum?: readonly Value[];
  readonly less?: readonly Value[];
  readonly constant?: string | number;
  readonly take?: string;
  readonly default?: string;
  readonly match?: Conditions;
  readonly unless?: Conditions;
}

export type Value = string | readonly Value[] | Computed;
export type Fields = Readonly<Record<string, Value>>;

export interface Rule {
  readonly match?: Conditions;
  readonly unless?: Conditions;
  readonly event_type: string;
  readonly fields?: Fields;
  readonly same?: { readonly kind: string; readonly from: string };
}

export type Entry = 'noise' | { readonly as: string } | Rule | readonly Rule[];
export type Entries = Readonly<Record<string, Entry>>;

/** What a mapping is applied to. */
export interface Reading {
  /** Returns the JSON text of the value at a path. */
  readonly at: (path: string) => string | undefined;
  /** Whether a text of digits is a number. */
  readonly hasDigits: boolean;
}

/** Returns the rules of a name; empty for noise, `undefined` for an unknown name. */
export function rulesOf(entries: Entries, name: string): readonly Rule[] | undefined {
  if (!Object.hasOwn(entries, name)) return undefined;
  const entry = entries[name]!;
  if (entry === 'noise') return [];
  if ('as' in entry) return rulesOf(entries, entry.as);
  return [entry].flat() as readonly Rule[];
}

/** Returns the first rule that applies; `noise` for a known name without one. */
export function ruleOf(entries: Entries, name: string, reading: Reading): Rule | 'noise' | undefined {
  const [named, any] = [rulesOf(entries, name), rulesOf(entries, '*')];
  if (named === undefined && any === undefined) return undefined;
  if (named?.length === 0) return 'noise';
  const holds = (rule: Rule): boolean => applies(rule, reading);
  return named?.find(holds) ?? any?.find(holds) ?? 'noise';
}

function applies({ match = {}, unless = {} }: Pick<Computed, 'match' | 'unless'>, reading: Reading): boolean {
  const holds = ([path, texts]: [string, string | readonly string[]]): boolean => {
    const json = reading.at(path);
    if (json === undefined) return false;
    return [texts].flat().some((text) => text === '*' || (!/^[[{]/.test(json) && text === plain(json)));
  };
  return Object.entries(match).every(holds) && !Object.entries(unless).some(holds);
}

/** Returns the fields of the lists in their stored form; those of a later list replace those of an earlier one. */
export function fieldsOf(lists: readonly Fields[], reading: Reading): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const [field, value] of lists.flatMap((fields) => Object.entries(fields))) {
    const stored = checked(field, textOf(field, value, reading), reading.hasDigits) ?? otherwise(value);
    if (stored !== null) found[field] = stored;
  }
  return found;
}

/** Returns the JSON text of a value before the rule of its field. */
export function textOf(field: string, value: Value, reading: Reading): string | undefined {
  if (typeof value === 'string') return reading.at(value);
  if (isList(value)) {
    const texts = value.map((one) => textOf(field, one, reading));
    return texts.find((text) => text !== undefined);
  }
  if (!applies(value, reading)) return undefined;
  if (value.constant !== undefined) return JSON.stringify(value.constant);
  if (value.from !== undefined) {
    const json = textOf(field, value.from, reading);
    return value.take === undefined ? json : lastSegment(json);
  }
  const [first, ...others] = value.sum ?? [];
  const base = textOf(field, first!, reading);
  const number = (json: string | undefined): bigint =>
    BigInt(checked('tokens_in', json, reading.hasDigits) ?? 0);
  if (base === undefined || checked('tokens_in', base, reading.hasDigits) === null) return base;
  const sum = (list: readonly Value[]): bigint =>
    list.reduce((total, one) => total + number(textOf(field, one, reading)), 0n);
  const result = number(base) + sum(others) - sum(value.less ?? []);
  return String(result < 0n ? 0n : result);
}

/** Returns every path of a value. */
export function pathsOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isList(value)) return value.flatMap(pathsOf);
  const { from = [], sum = [], less = [], match = {}, unless = {} } = value;
  return [...pathsOf(from), ...[...sum, ...less].flatMap(pathsOf), ...Object.keys({ ...match, ...unless })];
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function otherwise(value: Value): string | null {
  return typeof value === 'string' || isList(value) ? null : (value.default ?? null);
}

function plain(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

function lastSegment(json: string | undefined): string | undefined {
  const text = json?.startsWith('"') ? (JSON.parse(json) as string) : '';
  const segment = text.replace(/[/\\]+$/, '').replace(/^.*[/\\]/s, '');
  return isText(text) ? JSON.stringify(segment) : undefined;
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

interface FieldRule {
  readonly kind: string;
  readonly bytes?: number;
}

const RULES = FIELDS.fields as unknown as Readonly<Record<string, FieldRule>>;

/** Returns a value by rules EVT-04 to EVT-07 and EVT-12; null if it is absent or invalid. */
export function checked(field: string, json: string | undefined, hasDigits: boolean): string | number | null {
  const { kind, bytes } = RULES[field]!;
  if (json === undefined) return null;
  if (kind === 'text' || kind === 'choice') {
    const text = json.startsWith('"') ? (JSON.parse(json) as string) : '';
    const trimmed = text.trim();
    const isRight = isText(text) && trimmed !== '' && Buffer.byteLength(trimmed) <= (bytes ?? 256);
    return isRight ? trimmed : null;
  }
  const digits = hasDigits && /^"\d+"$/.test(json) ? plain(json) : json;
  const number = /^-?[\d.]/.test(digits) ? Number(digits) : Number.NaN;
  if (!(number >= 0)) return null;
  if (kind === 'dollars') return number > 1_000_000 ? null : Math.round(number * 1e9) / 1e9;
  return Number.isInteger(number) && number <= LIMITS.max_integer ? Math.abs(number) : null;
}
