/** Computes the values of fields and metadata: paths, sums, counters, constants (contract/mapping.md). */
import { applies, type Conditions, compileConditions, isAlways } from './condition.ts';
import { type Field, type FieldValue, fieldValue, isWellFormed, wholeOf } from './field.ts';
import { compilePath, type Path, type PathScope, type Source, valueAt } from './path.ts';
import { isObject, type JsonObject, type Place } from './problems.ts';

export type Value =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'first'; readonly values: readonly Value[] }
  | {
      readonly kind: 'computed';
      readonly conditions: Conditions | undefined;
      readonly from: Value;
      readonly takesLastSegment: boolean;
      readonly default: FieldValue | undefined;
    }
  | { readonly kind: 'sum'; readonly sum: readonly Value[]; readonly less: readonly Value[] }
  | { readonly kind: 'counter'; readonly path: Path }
  | { readonly kind: 'constant'; readonly value: FieldValue };

/** A value, and the field that it is for. */
export interface FieldRule {
  readonly field: Field;
  readonly value: Value;
  /** Replaces a value that is absent or invalid. */
  readonly default: FieldValue | undefined;
  /** In `keep`: the first value stays. */
  readonly isOnce: boolean;
}

/** What values are computed from. */
export interface Context {
  readonly source: Source;
  /** Whether a text of digits is a number. */
  readonly digits: boolean;
  /** Returns what the counter at a path rose by; only for sources whose reader keeps state. */
  readonly rise?: (path: Path) => number | undefined;
}

/** The paths that a file may have, and whether its reader keeps state. */
export interface ValueScope extends PathScope {
  readonly hasState: boolean;
}

const OPERATIONS = ['from', 'sum', 'counter', 'constant'] as const;
/** The words of a value inside of another one, and those of a whole value. */
const INNER_WORDS = [...OPERATIONS, 'less', 'take', 'match', 'unless'];
const WORDS = [...INNER_WORDS, 'default'];

/** Compiles a value for a field, or for a member of the metadata. */
export function compileValue(
  value: unknown,
  place: Place,
  scope: ValueScope,
  field: Field | undefined,
  words: readonly string[] = WORDS,
): Value {
  if (Array.isArray(value)) {
    if (value.length === 0) place.problem('is empty');
    return {
      kind: 'first',
      values: value.map((item, at) => compileValue(item, place.in(at), scope, field, INNER_WORDS)),
    };
  }
  if (typeof value === 'string') return { kind: 'path', path: compilePath(value, place, scope) };
  const object = place.object(value, words);
  const given = OPERATIONS.filter((name) => object[name] !== undefined);
  if (given.length !== 1) {
    place.problem(`needs one of ${OPERATIONS.join(' ')}`);
    return { kind: 'first', values: [] };
  }
  const from = compileOperation(given[0]!, object, place, scope, field);
  if (object.less !== undefined && given[0] !== 'sum') place.problem('less needs sum');
  if (object.take !== undefined) {
    place.in('take').word(object.take, ['last_segment']);
    if (given[0] !== 'from' || field?.kind !== 'text') place.problem('take needs from, and a field of text');
  }
  const conditions = compileConditions(object, place, scope);
  const otherwise =
    object.default === undefined ? undefined : constantOf(object.default, place.in('default'), field);
  return {
    kind: 'computed',
    conditions: isAlways(conditions) ? undefined : conditions,
    from,
    takesLastSegment: object.take !== undefined,
    default: otherwise,
  };
}

function compileOperation(
  operation: (typeof OPERATIONS)[number],
  object: JsonObject,
  place: Place,
  scope: ValueScope,
  field: Field | undefined,
): Value {
  const at = place.in(operation);
  switch (operation) {
    case 'from':
      return compileValue(object.from, at, scope, field, INNER_WORDS);
    case 'constant':
      return { kind: 'constant', value: constantOf(object.constant, at, field) };
    case 'counter':
      if (!scope.hasState) at.problem('only the reader of transcripts keeps counters');
      if (field !== undefined && field.kind !== 'integer') at.problem(`${field.name} is no integer`);
      return { kind: 'counter', path: compilePath(object.counter, at, scope) };
    case 'sum': {
      if (field?.kind !== 'integer') at.problem(`${field?.name ?? 'this'} is no integer`);
      const list = (name: 'sum' | 'less'): Value[] =>
        place
          .in(name)
          .list(object[name] ?? [])
          .map((item, index) => compileValue(item, place.in(name).in(index), scope, field, INNER_WORDS));
      const sum = list('sum');
      if (sum.length === 0) at.problem('is empty');
      return { kind: 'sum', sum, less: list('less') };
    }
  }
}

function constantOf(value: unknown, place: Place, field: Field | undefined): FieldValue {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  if (!isScalar) place.problem('is neither a text nor a number');
  else if (field !== undefined && fieldValue(field, value, false) !== value)
    place.problem(`${JSON.stringify(value)} is no value of ${field.name}`);
  return isScalar ? value : '';
}

/** Compiles values by the names of fields. `isKept` is for `keep`. */
export function compileFields(
  value: unknown,
  place: Place,
  scope: ValueScope,
  known: (name: string) => Field | undefined,
  isKept = false,
): FieldRule[] {
  return Object.entries(place.map(value)).flatMap(([name, spec]) => {
    const field = known(name);
    const at = place.in(name);
    if (field === undefined) {
      at.problem('no mapping can give this field');
      return [];
    }
    const compiled = compileValue(spec, at, scope, field, isKept ? [...WORDS, 'once'] : WORDS);
    const isOnce = isObject(spec) && spec.once === true;
    if (isObject(spec) && isKept && spec.once !== undefined && !isOnce) at.problem('once is true or absent');
    const otherwise = compiled.kind === 'computed' ? compiled.default : undefined;
    return [{ field, value: compiled, default: otherwise, isOnce }];
  });
}

/** Returns a value; `undefined` if it is not there. It may break the rule of its field. */
export function computeValue(value: Value, context: Context): unknown {
  switch (value.kind) {
    case 'path':
      return valueAt(context.source, value.path);
    case 'constant':
      return value.value;
    case 'counter':
      return context.rise?.(value.path);
    case 'first':
      for (const one of value.values) {
        const found = computeValue(one, context);
        if (found !== undefined) return found;
      }
      return undefined;
    case 'computed': {
      if (value.conditions !== undefined && !applies(value.conditions, context.source)) return undefined;
      const found = computeValue(value.from, context);
      return value.takesLastSegment ? lastSegment(found) : found;
    }
    case 'sum':
      return sumOf(value.sum, value.less, context);
  }
}

/** Adds and subtracts exactly. */
function sumOf(sum: readonly Value[], less: readonly Value[], context: Context): unknown {
  const [first, ...others] = sum;
  const base = computeValue(first!, context);
  const whole = wholeOf(base, context.digits);
  if (whole === undefined) return base;
  const part = (one: Value): bigint => BigInt(wholeOf(computeValue(one, context), context.digits) ?? 0);
  let total = BigInt(whole);
  for (const one of others) total += part(one);
  for (const one of less) total -= part(one);
  return total < 0n ? 0 : total;
}

/** Returns the value of a field by its rule; `undefined` if it is absent or invalid, and there is no default. */
export function fieldValueOf(
  { field, value, default: otherwise }: FieldRule,
  context: Context,
): FieldValue | undefined {
  return fieldValue(field, computeValue(value, context), context.digits) ?? otherwise;
}

/** Puts the values of the rules. One that is absent or invalid leaves the value of an earlier rule. */
export function putFields(
  fields: Map<string, FieldValue>,
  rules: readonly FieldRule[],
  context: Context,
): void {
  for (const rule of rules) {
    const value = fieldValueOf(rule, context);
    if (value !== undefined) fields.set(rule.field.name, value);
  }
}

/**
 * Returns the text after the last `/` or `\`, ignoring such characters at the end; `undefined` for a value that no field
 * of text may have as a whole.
 */
export function lastSegment(path: unknown): string | undefined {
  if (typeof path !== 'string' || !isWellFormed(path)) return undefined;
  let end = path.length;
  while (end > 0 && isSeparator(path[end - 1]!)) end--;
  let start = end;
  while (start > 0 && !isSeparator(path[start - 1]!)) start--;
  return path.slice(start, end);
}

function isSeparator(character: string): boolean {
  return character === '/' || character === '\\';
}

/** Calls back with the path of every counter of a value. */
export function visitCounters(value: Value, visit: (path: Path) => void): void {
  if (value.kind === 'counter') visit(value.path);
  else for (const one of partsOf(value)) visitCounters(one, visit);
}

function partsOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'first':
      return value.values;
    case 'computed':
      return [value.from];
    case 'sum':
      return [...value.sum, ...value.less];
    default:
      return [];
  }
}

/** Calls back with every path of a value, for sources that must know them before. */
export function visitPaths(value: Value, visit: (path: Path) => void): void {
  if (value.kind === 'path' || value.kind === 'counter') visit(value.path);
  const conditions = value.kind === 'computed' ? value.conditions : undefined;
  for (const { path } of [...(conditions?.match ?? []), ...(conditions?.unless ?? [])]) visit(path);
  for (const one of partsOf(value)) visitPaths(one, visit);
}
