/**
 * Generated from `contract/figures.json` by `pnpm contract:update`: the table of figures.
 *
 * Over 250 lines because each figure has a line in each function.
 */
import { LIMITS } from '../contract.ts';
import { FIELD, type FieldName } from '../field.ts';

/** The sums of some events, or the figures of one, by figure. */
export type Sums = number[];

/** A member of a response that shows a figure. */
export interface Member {
  /** Its name in the response. */
  readonly name: string;
  /** What a stored sum is divided by; costs are stored in nano-dollars. */
  readonly divisor: number;
}

/** What a figure takes from one event. */
export interface Measure {
  /** Whether it counts the event, or adds its value. */
  readonly kind: 'count' | 'sum';
  /** The numbers that it adds, or that a counted event has; `computed` is the computed cost. */
  readonly of: readonly (FieldName | 'computed')[];
  /** The numbers that the events of a sum lack. */
  readonly without: readonly (FieldName | 'computed')[];
  /** The words that a counted event has. */
  readonly words: readonly (readonly [field: FieldName, word: string])[];
  /** The events that it is taken over: those of a sum without a tool, and the calls and the steps of a tool. */
  readonly over: readonly ('events' | 'calls' | 'steps')[];
}

/** The index of each figure, in the order of the file. */
export const FIGURE = {
  event_count: 0,
  call_count: 1,
  error_count: 2,
  duration_count: 3,
  duration_ms: 4,
  tokens_in: 5,
  tokens_out: 6,
  cache_read_tokens: 7,
  cache_write_tokens: 8,
  cost_usd: 9,
  computed_cost_usd: 10,
  unpriced_tokens: 11,
} as const;

/** The figures of a session, in the order of its columns. */
export const OF_SESSIONS: readonly number[] = [
  FIGURE.event_count,
  FIGURE.error_count,
  FIGURE.tokens_in,
  FIGURE.tokens_out,
  FIGURE.cache_read_tokens,
  FIGURE.cache_write_tokens,
  FIGURE.cost_usd,
  FIGURE.computed_cost_usd,
  FIGURE.unpriced_tokens,
];

/** The figures of the statistics, in the order of their columns. */
export const OF_STATS: readonly number[] = [
  FIGURE.event_count,
  FIGURE.call_count,
  FIGURE.error_count,
  FIGURE.duration_count,
  FIGURE.duration_ms,
  FIGURE.tokens_in,
  FIGURE.tokens_out,
  FIGURE.cost_usd,
  FIGURE.computed_cost_usd,
  FIGURE.unpriced_tokens,
];

/** Those of a session that every group writes. */
export const USUAL_OF_SESSIONS: readonly number[] = [
  FIGURE.event_count,
  FIGURE.error_count,
  FIGURE.tokens_in,
  FIGURE.tokens_out,
  FIGURE.cache_read_tokens,
  FIGURE.cache_write_tokens,
  FIGURE.cost_usd,
];

/** Those of the statistics that every group writes. */
export const USUAL_OF_STATS: readonly number[] = [
  FIGURE.event_count,
  FIGURE.call_count,
  FIGURE.error_count,
  FIGURE.duration_count,
  FIGURE.duration_ms,
  FIGURE.tokens_in,
  FIGURE.tokens_out,
  FIGURE.cost_usd,
];

/** Those of a session that few events raise. */
export const RARE_OF_SESSIONS: readonly number[] = [FIGURE.computed_cost_usd, FIGURE.unpriced_tokens];

/** Those of the statistics that few events raise. */
export const RARE_OF_STATS: readonly number[] = [FIGURE.computed_cost_usd, FIGURE.unpriced_tokens];

/** The fields whose numbers the figures need, in the order of `select_event_figures.sql`. */
export const NUMBERS: readonly FieldName[] = [
  'duration_ms',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
];

/** The words that figures ask for. */
export const WORDS: readonly (readonly [field: FieldName, word: string])[] = [['status', 'error']];

/** The members of a line of a series, in their order (rule SER-01). */
export const SERIES: readonly Member[] = [
  { name: 'event_count', divisor: 1 },
  { name: 'error_count', divisor: 1 },
  { name: 'duration_count', divisor: 1 },
  { name: 'duration_ms', divisor: 1 },
  { name: 'tokens_in', divisor: 1 },
  { name: 'tokens_out', divisor: 1 },
  { name: 'cost_usd', divisor: 1e9 },
  { name: 'computed_cost_usd', divisor: 1e9 },
  { name: 'unpriced_tokens', divisor: 1 },
];

/** What each figure takes from one event. A call counts in the sums of its tool alone. */
export const MEASURES: readonly Measure[] = [
  { kind: 'count', of: [], without: [], words: [], over: ['events', 'calls', 'steps'] },
  { kind: 'count', of: [], without: [], words: [], over: ['calls'] },
  { kind: 'count', of: [], without: [], words: [['status', 'error']], over: ['events', 'calls'] },
  { kind: 'count', of: ['duration_ms'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['duration_ms'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['tokens_in'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['tokens_out'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['cache_read_tokens'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['cache_write_tokens'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['cost_usd'], without: [], words: [], over: ['events', 'calls'] },
  { kind: 'sum', of: ['computed'], without: [], words: [], over: ['events', 'calls'] },
  {
    kind: 'sum',
    of: ['tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens'],
    without: ['cost_usd', 'computed'],
    words: [],
    over: ['events', 'calls'],
  },
];

/** The index of the bound: none of the sums is larger (rule STA-06). */
export const BOUND = 12;

/** Columns of the numbers of an event. */
const DURATION_MS = FIELD.duration_ms.column;
const TOKENS_IN = FIELD.tokens_in.column;
const TOKENS_OUT = FIELD.tokens_out.column;
const CACHE_READ_TOKENS = FIELD.cache_read_tokens.column;
const CACHE_WRITE_TOKENS = FIELD.cache_write_tokens.column;
const COST_USD = FIELD.cost_usd.column;

/** Columns of its words, and the indices of these. */
const STATUS = FIELD.status.column;
const STATUS_ERROR = FIELD.status.words.findIndex((one) => one.equals(Buffer.from('error')));

/**
 * Puts the figures of one event into `figures`. Its row begins at `int` and `number`. A call counts in the sums of its
 * tool alone. Without a loop, which took longer.
 */
export function measure(
  figures: Sums,
  ints: Int32Array,
  int: number,
  numbers: Float64Array,
  number: number,
  computedCost: number,
): void {
  figures[0] = 1;
  figures[1] = 1;
  figures[2] = ints[int + STATUS] === STATUS_ERROR ? 1 : 0;
  figures[3] = !Number.isNaN(numbers[number + DURATION_MS]!) ? 1 : 0;
  figures[4] = numberOr0(numbers[number + DURATION_MS]!);
  figures[5] = numberOr0(numbers[number + TOKENS_IN]!);
  figures[6] = numberOr0(numbers[number + TOKENS_OUT]!);
  figures[7] = numberOr0(numbers[number + CACHE_READ_TOKENS]!);
  figures[8] = numberOr0(numbers[number + CACHE_WRITE_TOKENS]!);
  figures[9] = numberOr0(numbers[number + COST_USD]!);
  figures[10] = numberOr0(computedCost);
  figures[11] =
    Number.isNaN(numbers[number + COST_USD]!) && Number.isNaN(computedCost)
      ? Math.min(
          LIMITS.max_integer,
          numberOr0(numbers[number + TOKENS_IN]!) +
            numberOr0(numbers[number + TOKENS_OUT]!) +
            numberOr0(numbers[number + CACHE_READ_TOKENS]!) +
            numberOr0(numbers[number + CACHE_WRITE_TOKENS]!),
        )
      : 0;
  figures[BOUND] = Math.max(
    1,
    figures[4]!,
    figures[5]!,
    figures[6]!,
    figures[7]!,
    figures[8]!,
    figures[9]!,
    figures[10]!,
    figures[11]!,
  );
}

/** Returns the number of an event, and 0 when it has none. */
function numberOr0(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

/** Adds the figures of an event to a sum that is not of a tool. Without a loop, which took longer. */
export function addEvent(sums: Sums, figures: Sums): void {
  sums[0]! += figures[0]!;
  sums[2]! += figures[2]!;
  sums[3]! += figures[3]!;
  sums[4]! += figures[4]!;
  sums[5]! += figures[5]!;
  sums[6]! += figures[6]!;
  sums[7]! += figures[7]!;
  sums[8]! += figures[8]!;
  sums[9]! += figures[9]!;
  sums[10]! += figures[10]!;
  sums[11]! += figures[11]!;
  sums[12]! += figures[12]!;
}

/** Adds the figures of a call to a sum of its tool. Without a loop, which took longer. */
export function addCall(sums: Sums, figures: Sums): void {
  sums[0]! += figures[0]!;
  sums[1]! += figures[1]!;
  sums[2]! += figures[2]!;
  sums[3]! += figures[3]!;
  sums[4]! += figures[4]!;
  sums[5]! += figures[5]!;
  sums[6]! += figures[6]!;
  sums[7]! += figures[7]!;
  sums[8]! += figures[8]!;
  sums[9]! += figures[9]!;
  sums[10]! += figures[10]!;
  sums[11]! += figures[11]!;
  sums[12]! += figures[12]!;
}

/** Adds the figures of a step to a sum of its tool. Without a loop, which took longer. */
export function addStep(sums: Sums, figures: Sums): void {
  sums[0]! += figures[0]!;
  sums[12]! += figures[12]!;
}
