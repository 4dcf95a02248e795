/**
 * Generates the figures that the dashboard plots and names, and has what both servers' tables of figures share.
 *
 * A figure is an index of an array. The figures of an event are one expression, and adding them is one line each: loops
 * that ask each figure what it is took longer.
 */
import { type EventGroup, type Figure, type FigureFacts, membersOf } from './figures.ts';
import { scriptArray } from './sources.ts';

/** The lists of figures that both servers use, by constant. */
export function listsOf({
  of,
}: FigureFacts): readonly (readonly [name: string, about: string, figures: Figure[]])[] {
  const rare = (figures: readonly Figure[], isRare: boolean): Figure[] =>
    figures.filter((figure) => (figure.rare ?? false) === isRare);
  return [
    ['OF_SESSIONS', 'The figures of a session, in the order of its columns.', [...of.sessions]],
    ['OF_STATS', 'The figures of the statistics, in the order of their columns.', [...of.stats]],
    ['USUAL_OF_SESSIONS', 'Those of a session that every group writes.', rare(of.sessions, false)],
    ['USUAL_OF_STATS', 'Those of the statistics that every group writes.', rare(of.stats, false)],
    ['RARE_OF_SESSIONS', 'Those of a session that few events raise.', rare(of.sessions, true)],
    ['RARE_OF_STATS', 'Those of the statistics that few events raise.', rare(of.stats, true)],
  ];
}

/** The functions that add the figures of one event, by the events that they are for. */
export const ADDS: readonly (readonly [group: EventGroup, name: string, about: string])[] = [
  ['events', 'event', 'Adds the figures of an event to a sum that is not of a tool.'],
  ['calls', 'call', 'Adds the figures of a call to a sum of its tool.'],
  ['steps', 'step', 'Adds the figures of a step to a sum of its tool.'],
];

/** The one number of a figure that is no field: the server computes it. */
export const COMPUTED = 'computed_cost_usd';

/** Returns `dashboard/src/figure-names.ts`, formatted as by Biome. */
export function pageFigures(facts: FigureFacts): string {
  const labels = facts.all.map(({ name, label }) => `  ${name}: '${label}',\n`);
  const cost = membersOf(facts, facts.responses.cost);
  const isOfField = ({ kind, of, name }: Figure): boolean => kind === 'sum' && of.join() === name;
  const sums = cost.flatMap(([member, figure]) => (isOfField(figure) ? [`'${member}'`] : []));
  const tokens = cost.flatMap(([member, figure]) =>
    isOfField(figure) && figure.unit === 'tokens' ? [`'${member}'`] : [],
  );
  return `/** Generated from \`contract/figures.json\` by \`pnpm contract:update\`: figures that the page plots and names. */

/** The label of each figure. */
export const FIGURE_LABELS = {
${labels.join('')}} as const;

/** The sums of an hour or a name in \`GET /api/stats/cost\`; each adds up the field of its name. */
${scriptArray('export const COST_SUMS = ', sums, ' as const;')}
export type CostSum = (typeof COST_SUMS)[number];

/** Those that are tokens, in their order. */
${scriptArray('export const TOKEN_SUMS = ', tokens, ' as const;')}`;
}
