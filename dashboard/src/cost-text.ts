/** Cost as people read it: what events reported, and what the server computed apart from it (rule PRI-06). */
import { computed } from '@preact/signals';
import { health } from './figures.ts';
import { dollars } from './format.ts';

export interface Costs {
  readonly reported: number;
  readonly computed: number;
}

/** `$1.20 + ~$0.35 computed`; of two sums one that is 0 is left out. */
export function costText({ reported, computed }: Costs): string {
  if (computed === 0) return dollars(reported);
  return `${reported === 0 ? '' : `${dollars(reported)} + `}~${dollars(computed)} computed`;
}

/** What the sign ~ means, and the day of the prices in use; earlier events may have other prices (rule PRI-05). */
export const computedTitle = computed(() => {
  const date = health.value?.prices?.date;
  const source = 'Computed by the server from tokens and a file of prices';
  return date === undefined ? source : `${source}, now of ${date}`;
});

/** The title of a cost that has a computed part. */
export function titleOfCost({ computed }: Costs): string | undefined {
  return computed === 0 ? undefined : computedTitle.value;
}
