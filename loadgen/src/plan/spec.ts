/**
 * The options of a comparison, and the specification of one measurement: its load, its rounds and its driver.
 *
 * Invariant: a specification is fixed before anything starts. Only sizes of closed loops, and rates that are a share of
 * a throughput, are determined during the run.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Mode, Workload } from '../result/result.ts';
import type { Given } from './parse.ts';

/** The flags after all checks. An option is `undefined` when its flag is not given and the mode decides. */
export interface Options extends Omit<Given, 'rate'> {
  readonly rates: readonly RequestedRate[] | undefined;
}

export interface Spec {
  readonly name: string;
  readonly title: string;
  readonly mode: Exclude<Mode, 'startup'>;
  /** Specs of one group share their processes in each round; the first warms them up. */
  readonly group: string;
  /** Servers under test: those of this repository, or the plain ones (decision 67). */
  readonly servers: 'product' | 'plain';
  readonly driver: 'autocannon' | 'wrk' | 'open' | 'k6';
  readonly corpus: string | undefined;
  readonly workload: Omit<Workload, 'rate'>;
  readonly rate: RequestedRate | null;
  /** Whether a ceiling is measured: the same rows, stored in bulk without HTTP. */
  readonly ceiling: boolean;
}

/** A rate of the command line: `2000`, or `75%` of each server's own throughput in `batch`. */
export type RequestedRate =
  | { readonly kind: 'fixed'; readonly events_per_s: number }
  | { readonly kind: 'share'; readonly share: number };

const MOST_EVENTS_PER_S = 10_000_000;

/** Returns the rates in their order, and adds a problem for each wrong one. */
export function parseRates(text: string, problems: string[]): readonly RequestedRate[] {
  const rates: RequestedRate[] = [];
  for (const part of text.split(',')) {
    const [, digits, percent = ''] = /^(\d+)(%?)$/.exec(part) ?? [];
    const number = Number(digits);
    const rate: RequestedRate = percent
      ? { kind: 'share', share: number / 100 }
      : { kind: 'fixed', events_per_s: number };
    if (!(number >= 1 && number <= (percent ? 100 : MOST_EVENTS_PER_S)))
      problems.push(`--rate must be events per second or percent, as 2000,75%, not ${part || 'nothing'}`);
    else if (rates.some((other) => isDeepStrictEqual(other, rate)))
      problems.push(`--rate names ${part} twice`);
    rates.push(rate);
  }
  return rates;
}
