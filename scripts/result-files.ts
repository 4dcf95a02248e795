/** The committed results of comparisons, by their path in the checkout; both have the shape of one schema. */
export const RESULT = 'benchmark-results.json';
/** The summary of `pnpm bench:soak`. */
export const SOAK = 'docs/suites/soak.json';
