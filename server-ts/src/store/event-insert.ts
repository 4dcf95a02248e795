/**
 * Inserts the row of an event, and binds only the values that it has.
 *
 * better-sqlite3 spends about 0.1 µs on each bound value, and most events lack most fields. So each set of absent
 * fields has its own statement, with their values as literals. The sets are as many as the clients choose, and the
 * statements are bounded. Further sets use the statement that binds every value.
 *
 * Knows no event: its caller fills `values`.
 */
import { FIELD_SPECS, type FieldSpec } from '../field.ts';
import { QUERIES } from '../queries.ts';
import { type Connection, inOrder, parameterNames, type Statement } from './connection.ts';

/** A column whose value is often absent. */
interface Optional {
  readonly column: string;
  readonly at: number;
  /** The value of a row without the field: null or 0. */
  readonly absent: number | null;
}

/** The statement for one set of absent values, and the positions of the values that it binds. */
interface Sparse {
  readonly statement: Statement;
  readonly places: readonly number[];
  /** The bound values of the current row. */
  readonly bound: unknown[];
}

/** Largest number of statements. One takes about 12 KB, and 0.03 ms to prepare. */
export const MOST_STATEMENTS = 64;
/** The set of no absent values. */
const COMPLETE = 0;

/** Positions of the insert's parameters by column. */
const PLACES = new Map(parameterNames(QUERIES.insertEvent).map((name, at) => [name, at]));

const isOptional = ({ kind, isRequired }: FieldSpec): boolean =>
  !isRequired && kind !== 'choice' && kind !== 'json';
const optional = (column: string, absent: number): Optional => {
  return { column, at: placeOf(column), absent: Number.isNaN(absent) ? null : absent };
};
/** Invariant: at most 31 columns, because a set of them is a number of 31 bits. */
const OPTIONAL = [
  optional('computed_cost_nanos', Number.NaN),
  optional('metadata_bytes', Number.NaN),
  optional('history', 0),
  optional('late', 0),
  optional('time_shift', 0),
  ...FIELD_SPECS.filter(isOptional).map(({ sqlColumn, absent }) => optional(sqlColumn, absent)),
];

export class EventInsert {
  /** The values of the current row, by the positions of `placeOf`. */
  readonly values: unknown[] = Array.from(PLACES, () => null);
  private readonly db: Connection;
  private readonly statements = new Map<number, Sparse>();
  private readonly insertText: Statement;

  constructor(db: Connection) {
    this.db = db;
    if (OPTIONAL.length > 31) throw new Error('too many optional columns of events');
    this.statements.set(COMPLETE, this.prepare(COMPLETE));
    this.insertText = db.prepare<unknown[]>(inOrder(QUERIES.insertEventText));
  }

  /** The number of prepared statements. */
  get count(): number {
    return this.statements.size;
  }

  /** Inserts a row with the current values. Throws SQLite's errors. */
  run(): void {
    const { values } = this;
    const { statement, places, bound } = this.statementOf(this.absentSet());
    for (let at = 0; at < places.length; at++) bound[at] = values[places[at]!];
    statement.run(...bound);
  }

  /** Inserts the metadata of a row next to it. Throws SQLite's errors. */
  text(id: number, metadata: string): void {
    this.insertText.run(id, metadata);
  }

  /** Returns the set of absent values: the bit of each column in `OPTIONAL`. */
  private absentSet(): number {
    let set = COMPLETE;
    for (let bit = 0; bit < OPTIONAL.length; bit++) {
      const { at, absent } = OPTIONAL[bit]!;
      if (this.values[at] === absent) set |= 1 << bit;
    }
    return set;
  }

  private statementOf(set: number): Sparse {
    let sparse = this.statements.get(set);
    if (sparse === undefined) {
      if (this.statements.size >= MOST_STATEMENTS) return this.statements.get(COMPLETE)!;
      sparse = this.prepare(set);
      this.statements.set(set, sparse);
    }
    return sparse;
  }

  private prepare(set: number): Sparse {
    const literals = new Map(
      OPTIONAL.filter((_, bit) => (set & (1 << bit)) !== 0).map(({ column, absent }) => [column, absent]),
    );
    const text = QUERIES.insertEvent.replace(/:([a-z][a-z0-9_]*)/g, (parameter, name: string) =>
      literals.has(name) ? String(literals.get(name)) : parameter,
    );
    const places = parameterNames(text).map(placeOf);
    return { statement: this.db.prepare<unknown[]>(inOrder(text)), places, bound: places.map(() => null) };
  }
}

/** Returns the position of a column's value. */
export function placeOf(column: string): number {
  const at = PLACES.get(column);
  if (at === undefined) throw new Error(`insert_event.sql has no parameter ${column}`);
  return at;
}
