/**
 * DATA: the goals of typed calls, the figures that native-calls reported, and the rows of a result that hold the
 * values.
 *
 * Invariant: a ratio to the reference uses medians of the same run and of the same bytes.
 */
import { type Goal, inMilliseconds, lowest, type Of, over, value } from './goal.ts';
import { LARGE_LENGTH, REFERENCE_LENGTH } from './sizes.ts';
import { ORIGINAL_TYPES, type Strings, type TypeName } from './values.ts';

const USUAL = { client: 'checked', format: 'json', in_flight: 1 } as const;

const scalar = (type: TypeName): Of => value('scalars', 'calls_per_s', { type, ...USUAL });

const referenceRatio = (strings: Strings): Of =>
  over(
    value('reference', 'lib_p50_us', { strings, what: 'server' }),
    value('reference', 'p50_us', { strings, what: 'bytes' }),
  );

const library = (length: number): Of =>
  inMilliseconds(
    value('sequences', 'lib_us', { type: 'nestedDict', length, strings: 'identical', ...USUAL }),
  );

const large = { strings: 'identical', what: 'calls' };

const ITS_CALLS = {
  figure: '385 to 423',
  was: 'one call in flight from a page to native code in the same browser, by postMessage',
};
const its = (figure: string) => ({
  figure,
  was: 'extract, convert, call and pack of structured values, no text, by a clock of 10 µs',
});
const NONE = { figure: '—', was: 'not measured' };

export const GOALS: readonly Goal[] = [
  {
    title: 'one typed call in flight, the slowest of its five types',
    unit: 'round trips/s',
    prior: ITS_CALLS,
    better: 'higher',
    goal: 8_000,
    obstacle:
      'the exchange over HTTP takes nearly all of the time, the library a few percent of it (column share); client ' +
      'and server share the cores',
    of: lowest(ORIGINAL_TYPES.map(scalar)),
  },
  {
    title: 'one typed call in flight, long',
    unit: 'round trips/s',
    prior: { ...ITS_CALLS, figure: '418' },
    better: 'higher',
    goal: null,
    of: scalar('long'),
  },
  {
    title: '10,000 nested dicts, library time over plain JSON, identical strings',
    unit: 'times',
    prior: NONE,
    better: 'lower',
    goal: 1.5,
    of: referenceRatio('identical'),
  },
  {
    title: '10,000 nested dicts, library time over plain JSON, random strings',
    unit: 'times',
    prior: NONE,
    better: 'lower',
    goal: 1.5,
    of: referenceRatio('random'),
  },
  {
    title: '10,000 nested dicts, library time',
    unit: 'ms',
    prior: its('633 ms'),
    better: 'lower',
    goal: null,
    of: library(REFERENCE_LENGTH),
  },
  {
    title: '100,000 nested dicts, library time',
    unit: 'ms',
    prior: its('7,348 ms'),
    better: 'lower',
    goal: null,
    of: library(LARGE_LENGTH),
  },
  {
    title: '100,000 nested dicts, memory 10 s after over memory before',
    unit: 'times',
    prior: NONE,
    better: 'lower',
    goal: 1.2,
    of: over(value('large', 'rss_after_bytes', large), value('large', 'rss_before_bytes', large)),
  },
];
