/** Checks `contract/fields.json` against the schema, the rules, the vocabulary and the version. */
import { DatabaseSync } from 'node:sqlite';
import type { FieldSpec, Fields, ServerColumn } from '../contract/fields.ts';
import { HIDDEN } from '../contract/statements.ts';

/** The Arrow types that a kind of value may have. */
const ARROW: Readonly<Record<string, readonly string[]>> = {
  text: ['utf8', 'dictionary'],
  choice: ['dictionary'],
  integer: ['int64', 'int8'],
  dollars: ['float64'],
  timestamp: ['timestamp'],
  boolean: ['bool'],
  json: ['utf8'],
};

/** The documents that the fields are compared with. */
export interface Surroundings {
  /** The migrations, one after the other. */
  readonly schema: string;
  /** Texts of the rules. */
  readonly rules: string;
  readonly words: Readonly<Record<string, unknown>>;
  readonly version: string;
}

/** Returns the problems of the fields, one a line. */
export function checkFields(fields: Fields, around: Surroundings): string[] {
  const own = Object.entries(fields.fields);
  const all: [string, FieldSpec | ServerColumn][] = [...own, ...Object.entries(fields.server_columns)];
  return [
    ...own.flatMap(([name, spec]) => checkField(name, spec, around)),
    ...all.flatMap(([name, spec]) => checkArrow(name, spec)),
    ...repeated(all.map(([, { protobuf }]) => protobuf)).map(
      (number) => `protobuf number ${number} is taken twice`,
    ),
    ...all
      .filter(([, { protobuf }]) => !isFieldNumber(protobuf))
      .map(([name, { protobuf }]) => `${name} has the protobuf number ${protobuf}`),
    ...difference(
      [...fields.row],
      all.map(([name]) => name),
      'the row',
    ),
    ...fields.filters
      .filter((name) => !['text', 'choice'].includes(fields.fields[name]?.kind ?? ''))
      .map((name) => `the filter ${name} is no text and no choice`),
    ...checkSchema(fields, around.schema),
  ].map((problem) => `contract/fields.json: ${problem}`);
}

function checkField(name: string, spec: FieldSpec, { rules, words, version }: Surroundings): string[] {
  const values = spec.values === undefined ? undefined : words[spec.values];
  const hasDefault = spec.default !== undefined;
  return [
    ...(rules.includes(`\`${name}\``) ? [] : [`no rule names ${name}`]),
    ...(hasDefault === (spec.required === true) ? [`${name} is required or has a default, one of both`] : []),
    ...(spec.kind === 'text' && spec.bytes === undefined ? [`${name} has no most bytes`] : []),
    ...(spec.kind === 'choice' && !Array.isArray(values) ? [`${name} has no list of words`] : []),
    ...(Array.isArray(values) && hasDefault && !values.includes(spec.default)
      ? [`the default of ${name} is no word`]
      : []),
    ...(isLater(spec.since, version) ? [`${name} is there since ${spec.since}, after ${version}`] : []),
  ];
}

function checkArrow(name: string, spec: FieldSpec | ServerColumn): string[] {
  const isDictionary = 'dictionary' in spec && spec.dictionary === true;
  if (!ARROW[spec.kind]?.includes(spec.arrow))
    return [`${name} has no Arrow type of its kind: ${spec.arrow}`];
  // A dictionary in the database is a dictionary in Arrow, because it has few distinct values. Keys of other tables,
  // such as a session's, may be a dictionary in Arrow only.
  return isDictionary && spec.arrow !== 'dictionary' ? [`${name} is a dictionary in its column alone`] : [];
}

/** Returns whether a number is a valid field number. Protocol Buffers reserves 19,000 to 19,999. */
function isFieldNumber(number: number): boolean {
  const isKept = number >= 19_000 && number <= 19_999;
  return Number.isInteger(number) && number >= 1 && number <= 536_870_911 && !isKept;
}

/** Checks that the table `events` and the view have the columns of the fields. */
function checkSchema({ fields, server_columns, row }: Fields, schema: string): string[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(schema);
    const columnsOf = (table: string): Map<string, string> =>
      new Map(
        database
          .prepare(`SELECT name, type || iif("notnull", ' NOT NULL', '') AS type FROM pragma_table_info(?)`)
          .all(table)
          .map((column) => [String(column.name), String(column.type)]),
      );
    const table = columnsOf('events');
    for (const name of HIDDEN) table.delete(name);
    const stored = [...Object.values(server_columns), ...Object.values(fields)].flatMap(({ column, sql }) =>
      column === undefined ? [] : [{ column, sql }],
    );
    return [
      ...difference(
        [...table.keys()],
        stored.map(({ column }) => column),
        'the table events',
      ),
      ...stored
        .filter(({ column, sql }) => table.has(column) && table.get(column) !== sql)
        .map(({ column, sql }) => `the column ${column} is ${table.get(column)}, not ${sql}`),
      ...([...columnsOf('events_readable').keys()].join() === row.join()
        ? []
        : ['the view events_readable has other columns than the row, or another order']),
    ];
  } finally {
    database.close();
  }
}

function difference(got: readonly string[], wanted: readonly string[], where: string): string[] {
  return [
    ...wanted.filter((name) => !got.includes(name)).map((name) => `${where} has no ${name}`),
    ...got.filter((name) => !wanted.includes(name)).map((name) => `${where} has ${name}, which is no field`),
    ...repeated(got).map((name) => `${where} has ${name} twice`),
  ];
}

function repeated<T>(items: readonly T[]): T[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}

/** Returns whether a version is later than another. Both have three numbers. */
function isLater(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && a[at]! > b[at]!;
}
