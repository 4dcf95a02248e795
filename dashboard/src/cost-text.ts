/** Formats cost: the sum that events reported, and separately the sum that the server computed (rule PRI-06). */
import { computed } from '@preact/signals';
import { health } from './figures.ts';
import { dollars } from './format.ts';

export interface Costs {
  readonly reported: number;
  readonly computed: number;
}

/** Formats `$1.20 + ~$0.35 computed`; omits a sum of 0 if the other one is not. */
export function costText({ reported, computed }: Costs): string {
  if (computed === 0) return dollars(reported);
  return `${reported === 0 ? '' : `${dollars(reported)} + `}~${dollars(computed)} computed`;
}

/** Explains the sign ~ and the day of the current prices; earlier events may have other prices (rule PRI-05). */
export const computedTitle = computed(() => {
  const date = health.value?.prices?.date;
  const source = 'Computed by the server from tokens and a file of prices';
  return date === undefined ? source : `${source}, now of ${date}`;
});

/** Returns the title of a cost with a computed part. */
export function titleOfCost({ computed }: Costs): string | undefined {
  return computed === 0 ? undefined : computedTitle.value;
}
