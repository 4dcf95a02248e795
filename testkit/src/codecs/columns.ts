/** Reads the members of a row from `contract/fields.json`, for the codecs. */
import FIELDS from '../../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../../contract/vocabulary.json' with { type: 'json' };

export interface Column {
  readonly name: string;
  readonly kind: string;
  /** Its number in Protobuf. */
  readonly number: number;
  /** Its type in Arrow, by the name of `fields.json`. */
  readonly arrow: string;
  /** For a choice, the allowed words. The first word has the number 1 in Protobuf. */
  readonly words: readonly string[];
  readonly isNullable: boolean;
  /** Whether clients send it. */
  readonly isSent: boolean;
}

interface Spec {
  readonly kind: string;
  readonly protobuf: number;
  readonly arrow: string;
  readonly values?: string;
  readonly default?: unknown;
}

const SPECS: Readonly<Record<string, Spec>> = { ...FIELDS.fields, ...FIELDS.server_columns };
const WORDS = VOCABULARY as unknown as Readonly<Record<string, readonly string[]>>;

/** The members of a row, in order. */
export const COLUMNS: readonly Column[] = FIELDS.row.map((name) => {
  const spec = SPECS[name]!;
  return {
    name,
    kind: spec.kind,
    number: spec.protobuf,
    arrow: spec.arrow,
    words: spec.values === undefined ? [] : WORDS[spec.values]!,
    isNullable: spec.default === null,
    isSent: Object.hasOwn(FIELDS.fields, name),
  };
});

/** The same columns, in the order of their numbers in Protobuf. */
export const NUMBERED: readonly Column[] = [...COLUMNS].sort((one, other) => one.number - other.number);

/** Returns the name of a column in `event.proto`. */
export function protobufName({ name, kind }: Column): string {
  return kind === 'json' ? `${name}_json` : name;
}
