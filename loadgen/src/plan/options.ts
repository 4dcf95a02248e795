/** The options of `bench:compare` after all checks. */
import type { Given } from './parse.ts';
import type { RequestedRate } from './spec.ts';

export type Durability = 'process' | 'power';

/** An option is `undefined` when its flag is not given and the mode decides. */
export interface Options extends Omit<Given<'compare'>, 'rate'> {
  readonly rates: readonly RequestedRate[] | undefined;
}
