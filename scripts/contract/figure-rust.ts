/** Generates the table of figures of server-rs. */
import { type Fields, pascalCase } from './fields.ts';
import { ADDS, COMPUTED, listsOf } from './figure-sources.ts';
import { type Figure, type FigureFacts, membersOf, numberFields, wordsOf } from './figures.ts';
import { WIDTH } from './sources.ts';

/** Returns `server-rs/src/figure/table.rs`, formatted as by rustfmt. */
export function rustFigures(facts: FigureFacts, fields: Fields): string {
  const variant = ({ name }: Figure): string => `Figure::${pascalCase(name)}`;
  const field = (name: string): string => `Field::${pascalCase(name)}`;
  const lists = listsOf(facts).map(
    ([name, about, figures]) =>
      `    /// ${about}\n${rustArray(`    pub const ${name}: [Figure; ${figures.length}] = `, figures.map(variant))}`,
  );
  const words = wordsOf(facts);
  const series = membersOf(facts, facts.responses.series);
  return `//! Generated from \`contract/figures.json\` by \`pnpm contract:update\`: the table of figures.

use crate::contract::LIMITS;
use crate::field::Field;

/// The sums of some events, or the figures of one, by figure.
pub type Sums = [i64; Figure::COUNT];

/// A member of a response that shows a figure.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name in the response.
    pub name: &'static str,
    /// What a stored sum is divided by; costs are stored in nano-dollars.
    pub divisor: f64,
}

/// The figures, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the figure of its name")]
pub enum Figure {
${facts.all.map(({ name }) => `    ${pascalCase(name)},\n`).join('')}}

impl Figure {
    /// Number of figures.
    pub const COUNT: usize = ${facts.all.length};

${lists.join('\n')}}

/// The fields whose numbers the figures need, in the order of \`select_event_figures.sql\`.
${rustArray(`pub const NUMBERS: [Field; ${numberFields(facts, fields).length}] = `, numberFields(facts, fields).map(field))}
/// The words that figures ask for.
${rustArray(
  `pub const WORDS: [(Field, &str); ${words.length}] = `,
  words.map((one) => `(${field(one.field)}, "${one.word}")`),
)}
/// The members of a line of a series, in their order (rule SER-01).
pub const SERIES: [Member; ${series.length}] = [
${series.map(([name, { unit }]) => `    Member { name: "${name}", divisor: ${unit === 'dollars' ? '1e9' : '1.0'} },\n`).join('')}];

/// Returns the figures of one event, which has these numbers, words and computed cost. A call counts in the sums of its
/// tool alone.
#[inline]
pub fn measure(
    number: impl Fn(Field) -> Option<i64>,
    has_word: impl Fn(Field, &'static str) -> bool,
    computed_cost: Option<i64>,
) -> Sums {
    [
${facts.all.map((figure) => `        ${rustValue(figure)},\n`).join('')}    ]
}
${ADDS.map(
  ([group, name, about]) => `
/// ${about}
#[inline]
pub fn add_${name}(sums: &mut Sums, figures: &Sums) {
${facts.all
  .filter(({ over }) => over.includes(group))
  .map((figure) => `    add(sums, figures, ${variant(figure)});\n`)
  .join('')}}
`,
).join('')}
/// Returns the sum of numbers of one event; it stops at the largest number of an event.
fn total<const N: usize>(numbers: [Option<i64>; N]) -> i64 {
    let sum = numbers.into_iter().flatten().fold(0, i64::saturating_add);
    sum.min(LIMITS.max_integer.cast_signed())
}

/// Adds one figure. A sum stops at the largest integer instead of wrapping (rule STA-06).
#[inline]
fn add(sums: &mut Sums, figures: &Sums, figure: Figure) {
    let at = figure as usize;
    sums[at] = sums[at].saturating_add(figures[at]);
}
`;
}

/** Returns a constant array: on one line if it fits, else one item a line. */
function rustArray(begin: string, items: readonly string[]): string {
  const line = `${begin}[${items.join(', ')}];\n`;
  if (line.length - 1 <= WIDTH) return line;
  const margin = ' '.repeat(begin.search(/\S/));
  return `${begin}[\n${items.map((item) => `${margin}    ${item},\n`).join('')}${margin}];\n`;
}

function rustValue({ kind, of, without, words }: Figure): string {
  const numberOf = (name: string): string =>
    name === COMPUTED ? 'computed_cost' : `number(Field::${pascalCase(name)})`;
  if (kind === 'sum') {
    if (of.length === 1) return `${numberOf(of[0]!)}.unwrap_or(0)`;
    return `if ${without.map((name) => `${numberOf(name)}.is_some()`).join(' || ')} {
            0
        } else {
            total([
${of.map((name) => `                ${numberOf(name)},\n`).join('')}            ])
        }`;
  }
  const conditions = [
    ...of.map((name) => `${numberOf(name)}.is_some()`),
    ...words.map(({ field, word }) => `has_word(Field::${pascalCase(field)}, "${word}")`),
  ];
  return conditions.length === 0 ? '1' : `i64::from(${conditions.join(' && ')})`;
}
