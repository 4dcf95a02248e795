/**
 * Two results laid next to each other: each figure with its change, and each ratio with whether it agrees.
 *
 * Absolute figures say something only of one machine; a ratio of two servers measured in turn carries further,
 * so agreement is asked of ratios alone. Nothing is measured here, and nothing is said of what only one of the
 * results has.
 *
 * Two ratios agree when each lies within the other's interval, both intervals widened by the larger noise
 * floor f of the two: low / (1 + f) to high × (1 + f). An unknown floor widens nothing. Simulated with five
 * rounds and normal noise of 2 %, 99.6 % of ratios agree where nothing has changed, 80 % where one server has
 * by 5 %, 20 % where it has by 10 %; with noise of 5 % half agree although one has changed by 20 %. Of a
 * hundred ratios one that disagrees is therefore no finding, and agreement is only as sharp as the noise
 * floor next to it.
 *
 * Two runs agree when every ratio of the headline table does, and of all others no more disagree than chance leaves
 * out (decision 27).
 *
 * At a share of a server's own throughput the rate is what the closed loop of the same run took, which is compared
 * where it was measured; what only repeats it is not compared again.
 */
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';

import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { differences, type Fact, factsOf, sameMachine } from './diff-facts.ts';
import { type FigureDiff, figuresOf, larger, sizesOf } from './diff-figures.ts';
import { type Comparison, ENOUGH_FOR_VERDICT, type Interval } from './statistics.ts';

/** At a share: the rate itself, and what the number of events makes of the file. */
const REPEATS_THE_RATE: readonly string[] = ['throughput_events_per_s', 'disk_bytes_per_event'];

/** Of ratios between which nothing differs, the share that does not agree all the same; simulated as said above. */
const BY_CHANCE = 0.004;

/** As many are let pass as chance leaves out, but for this share of pairs. */
const FALSE_ALARM = 0.01;

/** Rust over TypeScript in both. */
export interface RatioDiff {
  readonly measurement: string;
  readonly metric: string;
  readonly a: Comparison;
  readonly b: Comparison;
  readonly noise_floor: number | null;
  /** Whether it stands in the headline table ("Results" of docs/benchmark-results.md): of the starts, or of the headline. */
  readonly headline: boolean;
  /** At a share of a server's own throughput, what only repeats the rate (decision 18); never compared. */
  readonly repeats_rate: boolean;
  /** `null` where one of them has too few rounds for a verdict, or where it repeats the rate. */
  readonly agree: boolean | null;
}

export interface Diff {
  readonly facts: readonly Fact[];
  /** Reasons not to compare, the machine first. */
  readonly warnings: readonly string[];
  readonly figures: readonly FigureDiff[];
  readonly ratios: readonly RatioDiff[];
  readonly summary: Summary;
}

interface Summary {
  /** Figures with enough rounds for a verdict. */
  readonly figures: number;
  readonly figures_without_difference: number;
  readonly figures_not_judged: number;
  /** Ratios that could be compared. */
  readonly ratios: number;
  readonly ratios_agree: number;
  /** Of the ratios that could be compared, without any noise floor: each within the other's plain interval. */
  readonly ratios_agree_plainly: number;
  /** The same, but asking only that the plain intervals overlap. */
  readonly ratios_overlap: number;
  readonly ratios_not_compared: number;
  /** Of those, how many only repeat the rate. */
  readonly ratios_repeat_rate: number;
  /** Of the headline table, how many do not agree; none may. */
  readonly headline_disagree: number;
  /** Of all others, how many do not agree, and how many may. */
  readonly others_disagree: number;
  readonly others_allowed: number;
  /** Whether the two runs agree; agreement of nothing is none. */
  readonly agree: boolean;
}

export function diffResults(a: Result, b: Result): Diff {
  const pairs = a.measurements.flatMap((left) => {
    const right = measurementNamed(b, left.name);
    return right === undefined ? [] : [{ left, right }];
  });
  const figures = [
    ...pairs.flatMap(({ left, right }) => TARGET_NAMES.flatMap((server) => figuresOf(left, right, server))),
    ...TARGET_NAMES.flatMap((server) => sizesOf(a, b, server)),
  ];
  const headline = ['startup', headlineOf(a)?.name];
  const ratios = pairs.flatMap(({ left, right }) => ratiosOf(left, right, headline.includes(left.name)));
  const facts = factsOf(a, b);
  return {
    facts,
    warnings: [
      ...(sameMachine(facts) ? [] : ['Measured on different machines: absolute figures cannot be compared.']),
      ...differences(a, b),
    ],
    figures,
    ratios,
    summary: summaryOf(figures, ratios),
  };
}

function summaryOf(figures: readonly FigureDiff[], ratios: readonly RatioDiff[]): Summary {
  const compared = ratios.filter(({ agree }) => agree !== null);
  const disagree = compared.filter(({ agree }) => agree === false);
  const others = compared.filter(({ headline }) => !headline);
  const headline_disagree = disagree.filter(({ headline }) => headline).length;
  const others_disagree = disagree.length - headline_disagree;
  const others_allowed = allowedByChance(others.length);
  return {
    figures: figures.filter(({ verdict }) => verdict !== 'too_few_rounds').length,
    figures_without_difference: figures.filter(({ verdict }) => verdict === 'no_difference').length,
    figures_not_judged: figures.filter(({ verdict }) => verdict === 'too_few_rounds').length,
    ratios: compared.length,
    ratios_agree: compared.length - disagree.length,
    ratios_agree_plainly: compared.filter(({ a, b }) => agreeWithin(1, a, b)).length,
    ratios_overlap: compared.filter(({ a, b }) => a.low <= b.high && b.low <= a.high).length,
    ratios_not_compared: ratios.length - compared.length,
    ratios_repeat_rate: ratios.filter(({ repeats_rate }) => repeats_rate).length,
    headline_disagree,
    others_disagree,
    others_allowed,
    agree: compared.length > 0 && headline_disagree === 0 && others_disagree <= others_allowed,
  };
}

/** The least number that chance alone exceeds in fewer than one pair of runs in a hundred. */
export function allowedByChance(ratios: number): number {
  let exactly = (1 - BY_CHANCE) ** ratios;
  let more = 1 - exactly;
  let allowed = 0;
  // Of a binomial distribution each probability follows from the one before.
  while (more >= FALSE_ALARM) {
    exactly *= ((ratios - allowed) / (allowed + 1)) * (BY_CHANCE / (1 - BY_CHANCE));
    more -= exactly;
    allowed++;
  }
  return allowed;
}

/** See the head of this file. */
export function ratiosAgree(a: Comparison, b: Comparison): boolean | null {
  if (Math.min(a.pairs.length, b.pairs.length) < ENOUGH_FOR_VERDICT) return null;
  return agreeWithin(1 + (larger(a.noise_floor, b.noise_floor) ?? 0), a, b);
}

function agreeWithin(widening: number, a: Comparison, b: Comparison): boolean {
  const within = (ratio: number, { low, high }: Interval) =>
    ratio >= low / widening && ratio <= high * widening;
  return within(a.ratio, b) && within(b.ratio, a);
}

function ratiosOf(left: Measurement, right: Measurement, headline: boolean): RatioDiff[] {
  return Object.entries(left.comparison ?? {}).flatMap(([metric, a]) => {
    const b = right.comparison?.[metric];
    if (a === null || b === null || b === undefined) return [];
    const noise_floor = larger(a.noise_floor, b.noise_floor);
    const repeats_rate = left.workload?.rate?.kind === 'share' && REPEATS_THE_RATE.includes(metric);
    const agree = repeats_rate ? null : ratiosAgree(a, b);
    return [{ measurement: left.name, metric, a, b, noise_floor, headline, repeats_rate, agree }];
  });
}
