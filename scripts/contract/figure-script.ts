/** Generates the table of figures of server-ts. */
import { type Fields, pascalCase } from './fields.ts';
import { ADDS, COMPUTED, listsOf } from './figure-sources.ts';
import { type Figure, type FigureFacts, membersOf, numberFields, type Word, wordsOf } from './figures.ts';
import { scriptArray, WIDTH } from './sources.ts';

/** Returns `server-ts/src/figure/table.ts`, formatted as by Biome. */
export function scriptFigures(facts: FigureFacts, fields: Fields): string {
  const lists = listsOf(facts).map(
    ([name, about, figures]) =>
      `/** ${about} */\n${scriptArray(
        `export const ${name}: readonly number[] = `,
        figures.map((figure) => `FIGURE.${figure.name}`),
      )}`,
  );
  const adds = ADDS.map(([group, name, about]) => {
    const figures = facts.all.filter(({ over }) => over.includes(group)).map(({ index }) => index);
    const lines = [...figures, facts.all.length].map((at) => `  sums[${at}]! += figures[${at}]!;\n`);
    return `/** ${about} Without a loop, which took longer. */
export function add${pascalCase(name)}(sums: Sums, figures: Sums): void {
${lines.join('')}}
`;
  });
  const numbers = numberFields(facts, fields).map((name) => `'${name}'`);
  const words = wordsOf(facts).map(({ field, word }) => `['${field}', '${word}']`);
  const series = membersOf(facts, facts.responses.series);
  return `/**
 * Generated from \`contract/figures.json\` by \`pnpm contract:update\`: the table of figures.
 *
 * Over 250 lines because each figure has a line in each function.
 */
import { LIMITS } from '../contract.ts';
import { FIELD, type FieldName } from '../field.ts';

/** The sums of some events, or the figures of one, by figure. */
export type Sums = number[];

/** A member of a response that shows a figure. */
export interface Member {
  /** Its name in the response. */
  readonly name: string;
  /** What a stored sum is divided by; costs are stored in nano-dollars. */
  readonly divisor: number;
}

/** What a figure takes from one event. */
export interface Measure {
  /** Whether it counts the event, or adds its value. */
  readonly kind: 'count' | 'sum';
  /** The numbers that it adds, or that a counted event has; \`computed\` is the computed cost. */
  readonly of: readonly (FieldName | 'computed')[];
  /** The numbers that the events of a sum lack. */
  readonly without: readonly (FieldName | 'computed')[];
  /** The words that a counted event has. */
  readonly words: readonly (readonly [field: FieldName, word: string])[];
  /** The events that it is taken over: those of a sum without a tool, and the calls and the steps of a tool. */
  readonly over: readonly ('events' | 'calls' | 'steps')[];
}

/** The index of each figure, in the order of the file. */
export const FIGURE = {
${facts.all.map(({ name, index }) => `  ${name}: ${index},\n`).join('')}} as const;

${lists.join('\n')}
/** The fields whose numbers the figures need, in the order of \`select_event_figures.sql\`. */
${scriptArray('export const NUMBERS: readonly FieldName[] = ', numbers)}
/** The words that figures ask for. */
${scriptArray('export const WORDS: readonly (readonly [field: FieldName, word: string])[] = ', words)}
/** The members of a line of a series, in their order (rule SER-01). */
export const SERIES: readonly Member[] = [
${series.map(([name, { unit }]) => `  { name: '${name}', divisor: ${unit === 'dollars' ? '1e9' : '1'} },\n`).join('')}];

/** What each figure takes from one event. A call counts in the sums of its tool alone. */
export const MEASURES: readonly Measure[] = [
${facts.all.map(measureText).join('')}];

/** The index of the bound: none of the sums is larger (rule STA-06). */
export const BOUND = ${facts.all.length};

/** Columns of the numbers of an event. */
${numberFields(facts, fields)
  .map((name) => `const ${name.toUpperCase()} = FIELD.${name}.column;\n`)
  .join('')}
/** Columns of its words, and the indices of these. */
${wordsOf(facts).map(wordText).join('')}
/**
 * Puts the figures of one event into \`figures\`. Its row begins at \`int\` and \`number\`. A call counts in the sums of its
 * tool alone. Without a loop, which took longer.
 */
export function measure(
  figures: Sums,
  ints: Int32Array,
  int: number,
  numbers: Float64Array,
  number: number,
  computedCost: number,
): void {
${facts.all.map((figure) => `  figures[${figure.index}] =${spaced(scriptValue(figure))};\n`).join('')}\
  figures[BOUND] = Math.max(
    1,
${facts.all.flatMap(({ kind, index }) => (kind === 'sum' ? `    figures[${index}]!,\n` : [])).join('')}  );
}

/** Returns the number of an event, and 0 when it has none. */
function numberOr0(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

${adds.join('\n')}`;
}

/** Returns an expression behind a blank, unless it begins with a line break. */
function spaced(expression: string): string {
  return expression.startsWith('\n') ? expression : ` ${expression}`;
}

function wordName({ field, word }: Word): string {
  return `${field}_${word}`.toUpperCase();
}

function wordText(one: Word): string {
  const { field, word } = one;
  return `const ${field.toUpperCase()} = FIELD.${field}.column;
const ${wordName(one)} = FIELD.${field}.words.findIndex((one) => one.equals(Buffer.from('${word}')));
`;
}

function scriptValue({ kind, of, without, words }: Figure): string {
  const numberOf = (name: string): string =>
    name === COMPUTED ? 'computedCost' : `numbers[number + ${name.toUpperCase()}]!`;
  if (kind === 'sum') {
    const values = of.map((name) => `numberOr0(${numberOf(name)})`);
    if (values.length === 1) return values[0]!;
    const lacks = without.map((name) => `Number.isNaN(${numberOf(name)})`).join(' && ');
    return `
    ${lacks}
      ? Math.min(
          LIMITS.max_integer,
          ${values.join(' +\n            ')},
        )
      : 0`;
  }
  const conditions = [
    ...of.map((name) => `!Number.isNaN(${numberOf(name)})`),
    ...words.map((one) => `ints[int + ${one.field.toUpperCase()}] === ${wordName(one)}`),
  ];
  return conditions.length === 0 ? '1' : `${conditions.join(' && ')} ? 1 : 0`;
}

function measureText({ kind, of, without, words, over }: Figure): string {
  const asked = words.map(({ field, word }) => `['${field}', '${word}']`).join(', ');
  const groups = over.map((group) => `'${group}'`).join(', ');
  const members = [
    `kind: '${kind}'`,
    `of: ${scriptSources(of)}`,
    `without: ${scriptSources(without)}`,
    `words: [${asked}]`,
    `over: [${groups}]`,
  ];
  const line = `  { ${members.join(', ')} },\n`;
  if (line.length - 1 <= WIDTH) return line;
  return `  {\n${members.map((member) => `    ${member},\n`).join('')}  },\n`;
}

function scriptSources(of: readonly string[]): string {
  return `[${of.map((name) => (name === COMPUTED ? "'computed'" : `'${name}'`)).join(', ')}]`;
}
