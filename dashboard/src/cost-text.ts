/**
 * Formats cost: the sum that events reported, separately the sum that the server computed, and the tokens that neither
 * covers (rule PRI-06).
 */
import { computed } from '@preact/signals';
import type { Costs } from './costs.ts';
import { health } from './figures.ts';
import { dollars, short } from './format.ts';

/**
 * Formats `$1.20 + ~$0.35 computed + 12.0k tokens without a price`; omits parts of 0. Only tokens whose price is zero
 * cost `$0.00`, and without tokens it is a dash.
 */
export function costText({ reported, computed, unpriced, tokens }: Costs): string {
  const parts = [
    reported > 0 && dollars(reported),
    computed > 0 && `~${dollars(computed)} computed`,
    unpriced > 0 && unpricedText(unpriced),
  ].filter((part) => part !== false);
  if (parts.length > 0) return parts.join(' + ');
  return tokens > 0 ? dollars(0) : '–';
}

/** Formats `12.0k tokens without a price`. */
export function unpricedText(tokens: number): string {
  return `${short(tokens)} token${tokens === 1 ? '' : 's'} without a price`;
}

/** Explains tokens without a price. */
export const UNPRICED_TITLE =
  'The server knows no price for the model of these tokens, so no sum has their cost';

/** Explains the sign ~ and the day of the current prices; earlier events may have other prices (rule PRI-05). */
export const computedTitle = computed(() => {
  const prices = health.value?.prices;
  const how = 'Computed by the server from tokens and ';
  if (prices == null) return `${how}prices`;
  const { date, source, built_in_date } = prices;
  if (source === 'built-in') return `${how}its list of prices, now of ${date}`;
  return `${how}a file of prices, now of ${date}, and its own list of ${built_in_date}`;
});

/** Returns the title of a cost with a computed part or tokens without a price. */
export function titleOfCost({ computed, unpriced }: Costs): string | undefined {
  const parts = [computed > 0 && computedTitle.value, unpriced > 0 && UNPRICED_TITLE];
  const title = parts.filter((part) => part !== false).join('. ');
  return title === '' ? undefined : title;
}
