/**
 * Formats a comparison as one plain sentence.
 *
 * Invariants: the direction comes from the verdict alone, so a ratio whose interval includes 1 is called no difference.
 * No sentence calls one server better.
 */
import type { Comparison } from '../analyse/statistics.ts';
import { formatInterval, formatRatio, percent } from './format.ts';
import { SHORT_NAMES } from './names.ts';

export interface Judged {
  readonly key: string;
  readonly label: string;
  readonly comparison: Comparison | null;
  /** Rust over TypeScript for an exact value, such as a size; `null` for a sampled metric. */
  readonly exact: number | null;
}

/** Words for "more", "less" and "n times as …", by the kind of quantity. */
const WORDS = {
  many: ['more', 'fewer', 'many'],
  much: ['more', 'less', 'much'],
  high: ['higher', 'lower', 'high'],
  large: ['larger', 'smaller', 'large'],
} as const;

const { rs: FIRST } = SHORT_NAMES;

/** Subject, kind of quantity and rest of a sentence, by key of the metric, for the metrics of the headline. */
const PHRASES: Readonly<Record<string, readonly [before: string, words: keyof typeof WORDS, after: string]>> =
  {
    start_ms: [`${FIRST} takes`, 'much', ' time to start'],
    idle_rss_bytes: [`${FIRST} holds`, 'much', ' memory when idle'],
    peak_rss_bytes: [`${FIRST} holds`, 'much', ' memory at its peak'],
    throughput_events_per_s: [`${FIRST} takes`, 'many', ' events per second'],
    server_cpu_us_per_event: [`${FIRST} spends`, 'much', ' CPU time on an event'],
    latency_p99_ms: [`${FIRST}’s latency p99 is`, 'high', ''],
    stream_lag_p99_ms: [`${FIRST}’s stream lag p99 is`, 'high', ''],
    deployed_bytes: [`${FIRST} is`, 'large', ' to deploy'],
    deployed_with_runtime_bytes: [`${FIRST} with its runtime is`, 'large', ' to deploy'],
  };

/** Returns whether a sentence may say that the servers differ. */
export function isDifference({ exact, comparison }: Judged): boolean {
  if (exact !== null) return exact !== 1;
  return comparison?.verdict === 'higher' || comparison?.verdict === 'lower';
}

/** Returns the verdict without the metric's name, such as "No difference: the interval [0.97, 1.04] holds 1." */
export function verdictText(judged: Judged): string {
  const { key, comparison, exact } = judged;
  const ratio = exact ?? comparison?.ratio;
  if (ratio === undefined) return 'Nothing can be said.';
  if (isDifference(judged)) {
    const [before, words, after] = PHRASES[key]!;
    return `${before} ${quantity(ratio, words)}${after}.`;
  }
  if (comparison === null) return 'The same.';
  return comparison.verdict === 'too_few_rounds'
    ? 'Too few rounds to say.'
    : `No difference: the interval ${formatInterval(comparison)} holds 1.`;
}

/** Returns a sentence such as "Throughput: Rust takes 22 % more events per second (1.22 [1.20, 1.31])." */
export function rowSentence(judged: Judged): string {
  const { label, comparison } = judged;
  const text = verdictText(judged);
  if (!isDifference(judged)) return `${label}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  return `${label}: ${comparison === null ? text : `${text.slice(0, -1)} (${formatRatio(comparison)}).`}`;
}

function quantity(ratio: number, kind: keyof typeof WORDS): string {
  const [more, less, times] = WORDS[kind];
  if (ratio >= 2) return `${ratio.toFixed(ratio >= 10 ? 0 : 1)} times as ${times}`;
  return `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? more : less}`;
}
