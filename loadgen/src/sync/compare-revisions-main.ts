/**
 * How many revisions a second the shipped client compares, in four classes of inputs: the twin of
 * `server-rs/examples/compare_revisions.rs`.
 *
 * Prints one line of JSON: for each class, millions a second in each round. What must stay true: every result is used,
 * and no two texts that are compared are the same object, so that none is compared by its address.
 */
import { compareRevisions, isRevision, type Revision } from '@twin-ingest/client';

const PAIRS = 1024;

type Pairs = readonly (readonly [Revision, Revision])[];

/** By class: what is the same, what differs in length, in the first digit, and in the last one. */
export function classes(): Readonly<Record<string, Pairs>> {
  const pairs = (of: (i: bigint) => readonly [bigint, bigint]): Pairs =>
    Array.from({ length: PAIRS }, (_, i) => {
      const [a, b] = of(BigInt(i)).map((number) => checked(String(number))) as [Revision, Revision];
      // Either is the larger in turn.
      return i % 3 === 0 ? [b, a] : [a, b];
    });
  const large = (i: bigint) => 18_000_000_000_000_000_000n + i * 10n;
  return {
    equal: pairs((i) => [large(i), large(i)]),
    length: pairs((i) => [large(i), large(i) / 10n]),
    'first digit': pairs((i) => [9_000_000_000_000_000_000n + i, 8_000_000_000_000_000_000n + i]),
    'last digit': pairs((i) => [large(i), large(i) + 1n]),
  };
}

function checked(text: string): Revision {
  if (!isRevision(text)) throw new TypeError(`no revision: ${text}`);
  return text;
}

/** Millions a second over at least `least_ms`; `sum` is what the results come to. */
function measure(pairs: Pairs, least_ms: number): { readonly million_per_s: number; readonly sum: number } {
  const from_ms = performance.now();
  let compared = 0;
  let sum = 0;
  let took_ms = 0;
  do {
    for (const [a, b] of pairs) sum += compareRevisions(a, b);
    compared += pairs.length;
    took_ms = performance.now() - from_ms;
  } while (took_ms < least_ms);
  return { million_per_s: compared / took_ms / 1000, sum };
}

if (import.meta.main) {
  const [rounds, milliseconds] = process.argv.slice(2).map(Number) as [number, number];
  const found: Record<string, number[]> = {};
  let sum = 0;
  for (const [name, pairs] of Object.entries(classes())) {
    measure(pairs, milliseconds);
    found[name] = Array.from({ length: rounds }, () => {
      const one = measure(pairs, milliseconds);
      sum += one.sum;
      return one.million_per_s;
    });
  }
  process.stdout.write(`${JSON.stringify(found)}\n`);
  // A sum that is printed cannot be left out; stdout is for the figures.
  process.stderr.write(`${sum}\n`);
}
