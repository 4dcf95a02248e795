/**
 * Formats a comparison as one plain sentence.
 *
 * Invariants: the direction comes from the verdict alone, so a ratio whose interval includes 1 is called no difference.
 * No sentence calls one server better.
 */
import type { Comparison } from '../analyse/statistics.ts';
import { formatInterval, formatRatio, percent } from './format.ts';
import { SHORT_NAMES } from './names.ts';

/** Words for "more", "less" and "n times as …", by the kind of quantity. */
const WORDS = {
  many: ['more', 'fewer', 'many'],
  much: ['more', 'less', 'much'],
  high: ['higher', 'lower', 'high'],
  large: ['larger', 'smaller', 'large'],
} as const;

interface Phrase {
  readonly before: string;
  readonly words: keyof typeof WORDS;
  readonly after: string;
}

const { rs: FIRST } = SHORT_NAMES;
const latency = (name: string): Phrase => ({ before: `${FIRST}’s ${name} is`, words: 'high', after: '' });

/** Phrases by key of the metric, for the metrics of the headline. */
const PHRASES: Readonly<Record<string, Phrase>> = {
  start_ms: { before: `${FIRST} takes`, words: 'much', after: 'time to start' },
  idle_rss_bytes: { before: `${FIRST} holds`, words: 'much', after: 'memory when idle' },
  peak_rss_bytes: { before: `${FIRST} holds`, words: 'much', after: 'memory at its peak' },
  throughput_events_per_s: { before: `${FIRST} takes`, words: 'many', after: 'events per second' },
  server_cpu_us_per_event: { before: `${FIRST} spends`, words: 'much', after: 'CPU time on an event' },
  latency_p99_ms: latency('latency p99'),
  stream_lag_p99_ms: latency('stream lag p99'),
  deployed_bytes: { before: `${FIRST} is`, words: 'large', after: 'to deploy' },
  deployed_with_runtime_bytes: { before: `${FIRST} with its runtime is`, words: 'large', after: 'to deploy' },
};

/** Returns a sentence such as "Rust takes 22 % more events per second (1.22 [1.20, 1.31])." */
export function sentenceOf(key: string, label: string, comparison: Comparison | null): string {
  if (comparison === null) return `${label}: nothing can be said.`;
  const { verdict } = comparison;
  if (verdict === 'too_few_rounds') return `${label}: too few rounds to say.`;
  if (verdict === 'no_difference') return `${label}: ${noDifference(comparison)}`;
  return `${claimOf(key, label, comparison.ratio)} (${formatRatio(comparison)}).`;
}

/** Returns the verdict without the metric's name, such as "No difference: the interval [0.97, 1.04] holds 1." */
export function shortVerdict(key: string, label: string, comparison: Comparison | null): string {
  if (comparison === null) return 'Nothing can be said.';
  if (comparison.verdict === 'too_few_rounds') return 'Too few rounds to say.';
  if (comparison.verdict === 'no_difference') return capital(noDifference(comparison));
  return `${claimOf(key, label, comparison.ratio)}.`;
}

/** Returns a sentence about a size, which is exact and has no interval. */
export function exactSentence(key: string, label: string, ratio: number): string {
  return ratio === 1 ? `${label}: the same.` : `${claimOf(key, label, ratio)}.`;
}

export function isDifference(comparison: Comparison | null | undefined): boolean {
  return comparison?.verdict === 'higher' || comparison?.verdict === 'lower';
}

function noDifference(comparison: Comparison): string {
  return `no difference: the interval ${formatInterval(comparison)} holds 1.`;
}

function claimOf(key: string, label: string, ratio: number): string {
  const phrase = PHRASES[key] ?? latency(label);
  return [phrase.before, quantity(ratio, phrase.words), phrase.after].filter((part) => part !== '').join(' ');
}

function quantity(ratio: number, kind: keyof typeof WORDS): string {
  const [more, less, times] = WORDS[kind];
  if (ratio >= 2) return `${ratio.toFixed(ratio >= 10 ? 0 : 1)} times as ${times}`;
  return `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? more : less}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
