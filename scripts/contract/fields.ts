/** Types of `contract/fields.json`, for the generated lists and the checks of the contract. */
import type { Json } from '../contract-facts.ts';

/** The JSON form of a field's value, and its rule (contract, "Fields as data"). */
export type FieldKind = 'text' | 'choice' | 'integer' | 'dollars' | 'timestamp' | 'json';

export interface FieldSpec {
  readonly kind: FieldKind;
  readonly required?: boolean;
  readonly trimmed?: boolean;
  /** Largest size of a text, in bytes of UTF-8. */
  readonly bytes?: number;
  /** The list of vocabulary.json that holds the words of a choice. */
  readonly values?: string;
  /** For an optional field: its value in a row when it is absent. */
  readonly default?: Json;
  /** The column of the table `events`, and its type. */
  readonly column: string;
  readonly sql: string;
  /** Whether the column holds a name id instead of the text. */
  readonly dictionary?: boolean;
  /** The parameter that this filter requires. */
  readonly filter_needs?: string;
  readonly since: string;
  readonly protobuf: number;
  readonly arrow: string;
  readonly description?: string;
}

/** A column of a row that clients do not send. */
export interface ServerColumn {
  readonly kind: 'integer' | 'dollars' | 'timestamp' | 'boolean';
  readonly value?: number;
  readonly default?: Json;
  readonly column?: string;
  readonly sql?: string;
  /** What it is computed from, in columns of the table `events`. */
  readonly expression?: string;
  readonly protobuf: number;
  readonly arrow: string;
}

export interface Fields {
  readonly about: string;
  readonly fields: Readonly<Record<string, FieldSpec>>;
  readonly server_columns: Readonly<Record<string, ServerColumn>>;
  /** The columns of a row, in their order. */
  readonly row: readonly string[];
  /** The fields that `GET /api/events` filters by, in the order of their checks. */
  readonly filters: readonly string[];
}

/** Returns the filters whose columns hold name ids, in order: the kinds of `GET /api/filter-options`. */
export function nameKinds({ fields, filters }: Fields): string[] {
  return filters.filter((name) => fields[name]?.dictionary === true);
}

/** Converts `tool_name` to `ToolName`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
