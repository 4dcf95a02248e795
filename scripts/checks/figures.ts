/** Checks `contract/figures.json` against the fields, the schema and the vocabulary. */
import type { Fields } from '../contract/fields.ts';
import {
  columnsOf,
  type EventGroup,
  type Figure,
  type Figures,
  figureFacts,
  TABLES,
  type Table,
} from '../contract/figures.ts';

/** The documents that the figures are compared with. */
export interface AroundFigures {
  readonly fields: Fields;
  /** The migrations, one after the other. */
  readonly schema: string;
  readonly words: Readonly<Record<string, unknown>>;
}

const GROUPS: readonly EventGroup[] = ['events', 'calls', 'steps'];
/** The table that a response reads. */
const TABLE_OF = {
  session: 'sessions',
  stats: 'stats',
  tool: 'stats',
  cost: 'stats',
  series: 'stats',
} as const;
/** The columns of `stats` that are no figures. */
const STATS_KEY: readonly string[] = ['quarter', 'name', 'agent_type'];
/** The number of a figure that no client sends. */
const COMPUTED = 'computed_cost_usd';

/** Returns the problems of the figures, one a line. */
export function checkFigures(figures: Figures, around: AroundFigures): string[] {
  const facts = figureFacts(figures, around.fields, around.schema);
  const columns = columnsOf(around.schema);
  return [
    ...facts.all.flatMap((figure) => checkFigure(figure, around)),
    ...repeated(facts.all.map(({ column }) => column)).map(
      (column) => `two figures have the column ${column}`,
    ),
    ...TABLES.flatMap((table) => checkTable(table, facts.of[table], columns[table])),
    ...facts.all
      .filter((figure) => TABLES.every((table) => !facts.of[table].includes(figure)))
      .map(({ column }) => `no table has the column ${column}`),
    ...columns.stats
      .filter(
        ({ name }) => !STATS_KEY.includes(name) && facts.of.stats.every(({ column }) => column !== name),
      )
      .map(({ name }) => `the table stats has ${name}, which is no figure`),
    ...checkResponses(figures, facts.all, facts.of),
  ].map((problem) => `contract/figures.json: ${problem}`);
}

function checkFigure(
  { name, kind, of, without, words, over, label }: Figure,
  around: AroundFigures,
): string[] {
  const isPlain = kind === 'count' && of.length === 0 && words.length === 0;
  const isNumber = (field: string): boolean =>
    ['integer', 'dollars'].includes(around.fields.fields[field]?.kind ?? '') || field === COMPUTED;
  return [
    ...(/^[a-z][a-z0-9_]*$/.test(name) ? [] : [`${name} is no name`]),
    ...(/^[A-Z][A-Za-z ]*$/.test(label) ? [] : [`the label of ${name} is no plain text`]),
    ...(kind === 'sum' && of.length === 0 ? [`${name} adds up nothing`] : []),
    ...(kind === 'sum' && words.length > 0 ? [`${name} adds up words`] : []),
    ...[...of, ...without]
      .filter((field) => !isNumber(field))
      .map((field) => `${field} of ${name} is no number`),
    ...(kind === 'count' && of.includes(COMPUTED) ? [`${name} counts computed costs`] : []),
    ...(without.length > 0 !== of.length > 1 ? [`${name} adds up several numbers, or lacks one`] : []),
    ...words.flatMap(({ field, word }) => checkWord(name, field, word, around)),
    ...over.filter((group) => !GROUPS.includes(group)).map((group) => `${name} is over ${group}`),
    ...(over.length === 0 || repeated(over).length > 0 ? [`${name} is over no or repeated events`] : []),
    // A series of a tool shows calls in place of such a figure.
    ...(over.includes('steps') && !isPlain ? [`${name} is over steps and no plain count`] : []),
  ];
}

function checkWord(name: string, field: string, word: string, { fields, words }: AroundFigures): string[] {
  const spec = fields.fields[field];
  if (spec?.kind !== 'choice' || !spec.dictionary) return [`${field} of ${name} has no list of words`];
  const known = words[spec.values!];
  return Array.isArray(known) && known.includes(word) ? [] : [`${field} of ${name} has no word ${word}`];
}

function checkTable(
  table: Table,
  figures: readonly Figure[],
  columns: readonly { readonly name: string; readonly type: string }[],
): string[] {
  const typeOf = (column: string): string | undefined => columns.find(({ name }) => name === column)?.type;
  return [
    ...figures
      .filter(({ column }) => typeOf(column) !== 'INTEGER NOT NULL')
      .map(({ column }) => `the column ${column} of ${table} is ${typeOf(column)}, not INTEGER NOT NULL`),
    ...(figures.some(({ rare }) => rare) ? [] : [`the table ${table} has no rare figure`]),
  ];
}

function checkResponses(
  { responses }: Figures,
  all: readonly Figure[],
  of: Readonly<Record<Table, readonly Figure[]>>,
): string[] {
  return Object.entries(TABLE_OF).flatMap(([response, table]) => {
    const members = Object.values(responses[response as keyof typeof TABLE_OF]).flatMap((one) =>
      typeof one === 'string' ? [one] : [one.of, one.per],
    );
    const unknown = members.filter((name) => all.every((figure) => figure.name !== name));
    const known = all.filter(({ name }) => members.includes(name));
    return [
      ...unknown.map((name) => `the response ${response} has ${name}, which is no figure`),
      ...known
        .filter((figure) => !of[table].includes(figure))
        .map(({ column }) => `the response ${response} needs the column ${column} in the table ${table}`),
      ...known
        .filter(({ over }) => response !== 'tool' && !over.includes('events'))
        .map(({ name }) => `the response ${response} has ${name}, which is of tools alone`),
      ...(['cost', 'series'].includes(response) && !members.includes('event_count')
        ? [`the response ${response} is ordered by event_count`]
        : []),
    ];
  });
}

function repeated<T>(items: readonly T[]): T[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}
