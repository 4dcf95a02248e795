/** The paths of the committed results of comparisons in the checkout. Both files follow one schema. */
export const RESULT = 'benchmark-results.json';
/** The summary of `pnpm bench:soak`. */
export const SOAK = 'docs/suites/soak.json';
/** The result of `pnpm bench:ladders`. */
export const LADDERS = 'docs/suites/ladders.json';
/** The result of `pnpm bench:peers`. */
export const PEERS = 'docs/suites/peers.json';
