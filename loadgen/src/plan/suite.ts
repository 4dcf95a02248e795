/**
 * DATA: the measurements of each mode, in their order.
 *
 * Invariant: everyone can repeat the full comparison (`--mode=all`) without a corpus, except for the row on real
 * events.
 */

import type { Workload } from '../result/result.ts';
import { DEFAULT_RATES, QUICK_SOAK_S, ROUND_S, SOAK_S, UNSIZED_WARM_UP, WARMUP_S } from './lengths.ts';
import type { Options } from './options.ts';
import { parseRates, type RequestedRate } from './rates.ts';
import type { Spec } from './spec.ts';

const SOAK_EVENTS_PER_S = 10_000;
const STREAM_CLIENTS = 10;

type FixedRate = Extract<RequestedRate, { kind: 'fixed' }>;

/** Whether the soak can be driven by k6; without, the open loop takes its place and the result says so. */
export interface Tools {
  readonly k6: boolean;
}

/** What the mode measures next to starts, `--pick` applied. */
export function specsOf(options: Options, tools: Tools): Spec[] {
  const all = specsOfMode(options, tools);
  if (options.pick === undefined) return all;
  const picked = all.filter((spec) => options.pick!.includes(spec.name));
  const needed = new Set(picked.flatMap((spec) => [spec.name, spec.throughput_of]));
  return all.filter((spec) => needed.has(spec.name));
}

/** Names of all that the mode measures next to starts, whatever is picked. */
export function namesOf(options: Options): string[] {
  return specsOfMode(options, { k6: false }).map(({ name }) => name);
}

function specsOfMode(options: Options, tools: Tools): Spec[] {
  switch (options.mode) {
    case 'startup':
      return [];
    case 'batch':
      return [batch(options, 'batch', titleOf(options))];
    case 'single':
      return [single(options)];
    case 'open':
      return opens(options, options.rates ?? defaultRates());
    case 'soak':
      return [soak(options, tools)];
    case 'all':
      return full(options, tools);
  }
}

/** The full comparison; generated events but in the row that is about real ones. */
function full(options: Options, tools: Tools): Spec[] {
  const generated = { ...options, corpus: undefined };
  const short: Options = { ...generated, events: 20_000, warmup: 500 };
  return [
    batch(generated, 'batch', 'Batches of generated events, closed loop'),
    // Half a second is no measure of a ceiling; it is shown next to the one before.
    {
      ...batch(short, 'short', '20,000 events, 40 connections, batches of 50'),
      ceiling: false,
    },
    ...(options.corpus === undefined
      ? []
      : [batch(options, 'corpus', 'Batches of real events, closed loop')]),
    single({ ...generated, events: undefined }),
    ...opens({ ...generated, events: undefined }, defaultRates()).filter((spec) => spec.name !== 'batch'),
    batch({ ...generated, durability: 'power' }, 'power', 'Batches with an fsync before each answer'),
    open(
      { ...generated, streamClients: STREAM_CLIENTS },
      { kind: 'fixed', events_per_s: 10_000 },
      'stream',
      `${STREAM_CLIENTS} stream clients at 10,000 events/s`,
    ),
    soak(generated, tools),
  ];
}

function titleOf(options: Options): string {
  return options.corpus === undefined
    ? 'Batches of generated events, closed loop'
    : 'Batches of real events, closed loop';
}

function batch(options: Options, name: string, title: string): Spec {
  return closed(options, {
    name,
    title,
    mode: 'batch',
    batch_size: options.batchSize,
  });
}

function single(options: Options): Spec {
  return closed(options, {
    name: 'single',
    title: 'One event a request, closed loop',
    mode: 'single',
    batch_size: 1,
  });
}

interface Closed {
  readonly name: string;
  readonly title: string;
  readonly mode: 'batch' | 'single';
  readonly batch_size: number;
}

function closed(options: Options, what: Closed): Spec {
  const { name, title, mode } = what;
  const events = options.events ?? null;
  return {
    name,
    title,
    mode,
    driver: options.driver,
    corpus: options.corpus,
    workload: {
      ...common(options),
      // Sized by the trial, as the events that count, unless they are given.
      warmup_events: options.warmup ?? (events === null ? null : UNSIZED_WARM_UP[mode]),
      batch_size: what.batch_size,
      events,
      duration_s: events === null ? (options.duration ?? ROUND_S[mode]) : null,
    },
    rate: null,
    throughput_of: null,
    reader: false,
    ceiling: true,
  };
}

/** The rates; for a share, the closed loop that it is a share of comes first. */
function opens(options: Options, rates: readonly RequestedRate[]): Spec[] {
  const specs = rates.map((rate) => {
    const name = rate.kind === 'fixed' ? `open_${rate.events_per_s}` : `open_${percent(rate)}_percent`;
    const title =
      rate.kind === 'fixed'
        ? `Open loop at ${rate.events_per_s.toLocaleString('en-US')} events/s`
        : `Open loop at ${percent(rate)} % of each server's own throughput`;
    return open(options, rate, name, title);
  });
  const shares = specs.some((spec) => spec.rate!.kind === 'share');
  return shares ? [batch({ ...options, duration: undefined }, 'batch', titleOf(options)), ...specs] : specs;
}

function percent(rate: { readonly share: number }): number {
  return Math.round(rate.share * 100);
}

function open(options: Options, rate: RequestedRate, name: string, title: string): Spec {
  return {
    name,
    title,
    mode: 'open',
    driver: 'open',
    corpus: options.corpus,
    workload: {
      ...common(options),
      batch_size: options.batchSize,
      events: null,
      duration_s: options.duration ?? ROUND_S.open,
    },
    rate,
    throughput_of: rate.kind === 'share' ? 'batch' : null,
    reader: false,
    ceiling: false,
  };
}

function soak(options: Options, tools: Tools): Spec {
  // The command line admits nothing else for a soak.
  const rate = (options.rates?.[0] ?? { kind: 'fixed', events_per_s: SOAK_EVENTS_PER_S }) as FixedRate;
  const clients = options.streamClients ?? STREAM_CLIENTS;
  const duration_s = options.duration ?? (options.quick ? QUICK_SOAK_S : SOAK_S);
  const length = duration_s % 60 === 0 ? `${duration_s / 60} min` : `${duration_s} s`;
  return {
    name: 'soak',
    title: `Soak: ${length} at ${rate.events_per_s.toLocaleString('en-US')} events/s, ${clients} stream clients, a dashboard`,
    mode: 'soak',
    driver: tools.k6 ? 'k6' : 'open',
    corpus: options.corpus,
    workload: {
      ...common(options),
      batch_size: options.batchSize,
      events: null,
      duration_s,
      warmup_events: options.warmup ?? rate.events_per_s * WARMUP_S.soak,
      rounds: 1,
      stream_clients: clients,
    },
    rate,
    throughput_of: null,
    reader: true,
    ceiling: false,
  };
}

function common(options: Options): Omit<Workload, 'rate' | 'events' | 'duration_s' | 'batch_size'> {
  return {
    connections: options.concurrency,
    warmup_events: options.warmup ?? null,
    rounds: options.rounds,
    durability: options.durability,
    max_metadata_bytes: null,
    ids: options.ids,
    preload_events: options.preload,
    stream_clients: options.streamClients ?? 0,
  };
}

function defaultRates(): readonly RequestedRate[] {
  return parseRates(DEFAULT_RATES) as readonly RequestedRate[];
}
