/** Parses rates of the command line: `2000`, or `75%` of each server's own throughput. */
import { isDeepStrictEqual } from 'node:util';

export type RequestedRate =
  | { readonly kind: 'fixed'; readonly events_per_s: number }
  | { readonly kind: 'share'; readonly share: number };

const MOST_EVENTS_PER_S = 10_000_000;

/** Returns the rates in their order, or a sentence that names a wrong rate. */
export function parseRates(text: string): readonly RequestedRate[] | string {
  const rates: RequestedRate[] = [];
  for (const part of text.split(',')) {
    const [, digits, percent] = /^(\d+)(%?)$/.exec(part) ?? [];
    const number = Number(digits);
    const most = percent === '%' ? 100 : MOST_EVENTS_PER_S;
    if (digits === undefined || number < 1 || number > most) {
      return `--rate must be events per second or percent, as 2000,75%, not ${part === '' ? 'nothing' : part}`;
    }
    const rate: RequestedRate =
      percent === '%' ? { kind: 'share', share: number / 100 } : { kind: 'fixed', events_per_s: number };
    if (rates.some((other) => isDeepStrictEqual(other, rate))) return `--rate names ${part} twice`;
    rates.push(rate);
  }
  return rates;
}
