/**
 * The fields of an event as the contract describes them (`contract/fields.json`).
 *
 * Also assigns the columns of the tables of `event`. A text is a pair of positions and a choice is an index into its
 * list; both are integers. Every other value is a double.
 */

import type { Parameter } from './contract/routes.ts';
import { FIELDS_FILE, VOCABULARY } from './contract.ts';

const SPECS = FIELDS_FILE.fields;

/** The name of a field on the wire. */
export type FieldName = keyof typeof SPECS;

/** The fields that are query parameters too. */
type FilterName = FieldName & Parameter;

/** The validation rule of a field (rules EVT-01 to EVT-11). */
export type FieldKind = 'text' | 'choice' | 'integer' | 'dollars' | 'timestamp' | 'json';

/** One field of `contract/fields.json`. */
export interface FieldSpec {
  readonly name: FieldName;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly isTrimmed: boolean;
  /** Largest size of a text, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** The words of a choice. */
  readonly words: readonly Buffer[];
  /** Its column in the table `events`. */
  readonly sqlColumn: string;
  /** Whether that column holds a name id. */
  readonly isDictionary: boolean;
  /** The value of an event without the field: the index of a word, or a number. NaN is null. */
  readonly absent: number;
  /** Its offset in the spans of a raw event: a start and an end. */
  readonly span: number;
  /** Its column of `EventTable.ints` or of `EventTable.numbers`. */
  readonly column: number;
}

/** The fields in the order in which problems are reported, metadata last. */
export const FIELDS = Object.keys(SPECS) as readonly FieldName[];

const widths = { ints: 0, numbers: 0 };
const specs = FIELDS.map((name, index) => specOf(name, index));

/** The contract's entry for each field. */
export const FIELD_SPECS: readonly FieldSpec[] = specs;

/** The same entries by name. */
export const FIELD = Object.fromEntries(specs.map((spec) => [spec.name, spec])) as Readonly<
  Record<FieldName, FieldSpec>
>;

/** The column of `ints` that is 1 when the metadata is a summary. */
export const TRUNCATED = widths.ints;
/** The two columns of `ints` for the range of the whole text of a summary; equal positions without one. */
export const WHOLE = widths.ints + 1;
/** The column of `ints` for the effect on waits: an index into `WAIT_CHANGES`. The last column. */
export const WAIT = widths.ints + 3;
export const INT_WIDTH = widths.ints + 4;
export const NUMBER_WIDTH = widths.numbers;

/** The fields whose columns hold name ids, in the order of the filters. */
export const NAME_KINDS: readonly FilterName[] = filters().filter((name) => FIELD[name].isDictionary);

/** The other filters except the session; their columns hold the text. */
export const TEXT_FILTERS: readonly FilterName[] = filters().filter(
  (name) => name !== 'session_id' && !FIELD[name].isDictionary,
);

/** The stored form of a column. */
export type ColumnKind = 'session' | 'name' | 'choice' | 'constant' | 'boolean' | FieldKind;

/** Arrow types of columns (rule FMT-09). */
export type ArrowType = 'int8' | 'int64' | 'float64' | 'bool' | 'utf8' | 'timestamp' | 'dictionary';

/** One column of a row. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Its position in a stored row, which has no constants; -1 for a constant. */
  readonly stored: number;
  /** The value of a constant column. */
  readonly constant: number;
  /** The words of a choice. */
  readonly words: readonly string[];
  /** Its number in Protobuf. */
  readonly protobuf: number;
  readonly arrow: ArrowType;
  readonly isNullable: boolean;
}

/** The columns of a row, in their order (rule GET-02). */
export const COLUMNS: readonly Column[] = columns();

/** The columns in the order of their numbers in Protobuf. */
export const BY_NUMBER: readonly Column[] = COLUMNS.toSorted((one, other) => one.protobuf - other.protobuf);

function columns(): Column[] {
  let stored = 0;
  return FIELDS_FILE.row.map((name) => {
    const spec: {
      readonly kind: string;
      readonly value?: number;
      readonly values?: string;
      readonly dictionary?: boolean;
      readonly default?: unknown;
      readonly protobuf: number;
      readonly arrow: string;
    } = { ...FIELDS_FILE.server_columns, ...SPECS }[name as FieldName];
    const isConstant = spec.value !== undefined;
    return {
      name,
      kind: columnKind(name, spec),
      stored: isConstant ? -1 : stored++,
      constant: spec.value ?? 0,
      words: spec.values === undefined ? [] : wordsOf(spec.values),
      protobuf: spec.protobuf,
      arrow: spec.arrow as ArrowType,
      isNullable: spec.default === null,
    };
  });
}

function columnKind(
  name: string,
  spec: { readonly kind: string; readonly value?: number; readonly dictionary?: boolean },
): ColumnKind {
  if (spec.value !== undefined) return 'constant';
  if (name === 'session_id') return 'session';
  if (spec.kind === 'choice') return 'choice';
  return spec.dictionary === true ? 'name' : (spec.kind as ColumnKind);
}

function filters(): FilterName[] {
  return FIELDS_FILE.filters as FilterName[];
}

function specOf(name: FieldName, index: number): FieldSpec {
  const spec: {
    readonly kind: string;
    readonly required?: boolean;
    readonly trimmed?: boolean;
    readonly bytes?: number;
    readonly values?: string;
    readonly default?: unknown;
    readonly column: string;
    readonly dictionary?: boolean;
  } = SPECS[name];
  const kind = spec.kind as FieldKind;
  const words = spec.values === undefined ? [] : wordsOf(spec.values);
  let column: number;
  if (kind === 'text' || kind === 'json' || kind === 'choice') {
    column = widths.ints;
    widths.ints += kind === 'choice' ? 1 : 2;
  } else {
    column = widths.numbers++;
  }
  return {
    name,
    kind,
    isRequired: spec.required === true,
    isTrimmed: spec.trimmed === true,
    maxBytes: spec.bytes ?? Number.MAX_SAFE_INTEGER,
    words: words.map((word) => Buffer.from(word)),
    sqlColumn: spec.column,
    isDictionary: spec.dictionary === true,
    absent: absentOf(spec.default, words),
    span: 2 * index + 2,
    column,
  };
}

function wordsOf(list: string): readonly string[] {
  return (VOCABULARY as unknown as Readonly<Record<string, readonly string[]>>)[list]!;
}

function absentOf(value: unknown, words: readonly string[]): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? words.indexOf(value) : Number.NaN;
}
