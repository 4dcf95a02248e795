/**
 * Types of `contract/figures.json`, and the columns of the tables that hold figures.
 *
 * Why two files: `figures.json` says what a figure is, and the schema says which table keeps which figures. So a table
 * can change without a change of the figures.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Fields } from './fields.ts';

/** The events of a sum: those of a sum without a tool, and the calls and the steps of a tool. */
export type EventGroup = 'events' | 'calls' | 'steps';

export interface FigureSpec {
  /** Whether it counts events or adds up values. */
  readonly kind: 'count' | 'sum';
  /** The field whose values are added up, or that the counted events have. Of a list, the values of an event are added. */
  readonly of?: string | readonly string[];
  /** The numbers that the events of a sum lack. */
  readonly without?: readonly string[];
  /** The word of a field that the counted events have. */
  readonly where?: Readonly<Record<string, string>>;
  /** The events that it is taken over. */
  readonly over: readonly EventGroup[];
  readonly unit: 'events' | 'milliseconds' | 'tokens' | 'dollars';
  readonly label: string;
  /** Whether few events have it, so that a statement of its own raises it. */
  readonly rare?: boolean;
}

/** The quotient of two figures. */
export interface Ratio {
  readonly of: string;
  readonly per: string;
  readonly decimals: number;
}

/** The figures of a response by member, in their order. */
export type Members = Readonly<Record<string, string>>;

export interface Figures {
  readonly about: string;
  readonly figures: Readonly<Record<string, FigureSpec>>;
  readonly responses: {
    readonly session: Members;
    readonly stats: Members;
    readonly tool: Readonly<Record<string, string | Ratio>>;
    readonly cost: Members;
    readonly series: Members;
  };
}

/** The largest number of an event: 2^53-1. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** The tables with figures. */
export const TABLES = ['sessions', 'stats'] as const;
export type Table = (typeof TABLES)[number];

/** A word that the events of a figure have. */
export interface Word {
  readonly field: string;
  /** The column of `events` that holds its name id. */
  readonly column: string;
  readonly word: string;
}

/** A figure with what the fields say about it. */
export interface Figure extends Omit<FigureSpec, 'of' | 'without'> {
  readonly name: string;
  /** Its column in the tables of sums. */
  readonly column: string;
  /** The numbers that it counts or adds up. */
  readonly of: readonly string[];
  /** The numbers that its events lack. */
  readonly without: readonly string[];
  /** What it counts or adds up in rows of `events AS e`; absent of a count of all events. */
  readonly values?: string | undefined;
  readonly words: readonly Word[];
  /** Its index in the arrays of the servers. */
  readonly index: number;
}

/** The figures together with what the fields and the schema say about them. */
export interface FigureFacts {
  /** All figures, in their order. */
  readonly all: readonly Figure[];
  /** The figures of each table, in the order of its columns. */
  readonly of: Readonly<Record<Table, readonly Figure[]>>;
  readonly responses: Figures['responses'];
}

/** Reads the figures of each table from the schema. */
export function figureFacts({ figures, responses }: Figures, fields: Fields, schema: string): FigureFacts {
  const known = { ...fields.server_columns, ...fields.fields };
  const columnOf = (field: string): string | undefined => known[field]?.column;
  const all = Object.entries(figures).map(([name, spec], index): Figure => {
    const of = typeof spec.of === 'string' ? [spec.of] : (spec.of ?? []);
    const without = spec.without ?? [];
    const columns = of.map((field) => columnOf(field) ?? field);
    const own = typeof spec.of === 'string' ? columns[0] : undefined;
    const words = Object.entries(spec.where ?? {}).map(
      ([field, word]): Word => ({ field, column: columnOf(field) ?? field, word }),
    );
    const column = spec.kind === 'sum' ? (own ?? name) : name;
    const values = own === undefined ? valuesOf(columns, without.map(columnOf)) : `e.${own}`;
    return { ...spec, of, without, name, column, values, words, index };
  });
  const columns = columnsOf(schema);
  const inTable = (table: Table): Figure[] =>
    columns[table].flatMap(({ name }) => all.find(({ column }) => column === name) ?? []);
  return { all, of: { sessions: inTable('sessions'), stats: inTable('stats') }, responses };
}

/** Returns the sum of the columns of an event that lacks others; it stops at 2^53-1. */
function valuesOf(columns: readonly string[], without: readonly (string | undefined)[]): string | undefined {
  if (columns.length === 0) return undefined;
  const condition = without.map((column) => `e.${column} IS NULL`).join(' AND ');
  const sum = columns.map((column) => `e.${column}`).join(' + ');
  return `CASE WHEN ${condition} THEN min(${sum}, ${MAX_INTEGER}) END`;
}

/** Returns the columns of the tables with figures. */
export function columnsOf(schema: string): Record<Table, { name: string; type: string }[]> {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(schema);
    const select = database.prepare(
      `SELECT name, type || iif("notnull", ' NOT NULL', '') AS type FROM pragma_table_info(?)`,
    );
    const of = (table: Table): { name: string; type: string }[] =>
      select.all(table).map(({ name, type }) => ({ name: String(name), type: String(type) }));
    return { sessions: of('sessions'), stats: of('stats') };
  } finally {
    database.close();
  }
}

/** Returns the figure of this name. Throws for an unknown one, which `pnpm contract:check` reports with its place. */
export function figureOf({ all }: FigureFacts, name: string): Figure {
  const found = all.find((figure) => figure.name === name);
  if (found === undefined) throw new Error(`contract/figures.json has no figure ${name}`);
  return found;
}

/** Returns the figures of a response, by member. */
export function membersOf(
  facts: FigureFacts,
  response: Members,
): (readonly [member: string, figure: Figure])[] {
  return Object.entries(response).map(([member, name]) => [member, figureOf(facts, name)] as const);
}

/** Returns the words that figures ask for, each once. */
export function wordsOf({ all }: FigureFacts): Word[] {
  const words = all.flatMap((figure) => figure.words);
  return words.filter(
    ({ field, word }, at) => words.findIndex((one) => one.field === field && one.word === word) === at,
  );
}

/** Returns the fields whose numbers the figures need, in the order of the fields. */
export function numberFields({ all }: FigureFacts, fields: Fields): string[] {
  return Object.keys(fields.fields).filter((name) =>
    all.some(({ of, without }) => of.includes(name) || without.includes(name)),
  );
}
