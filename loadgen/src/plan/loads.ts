/** Makes the specification of each kind of load from the options. */
import type { Workload } from '../result/result.ts';
import { QUICK_SOAK_S, SLICE_S, SLICES, SLOW_EVENTS_PER_S, SOAK_S, WARMUP_S } from './lengths.ts';
import type { Options } from './options.ts';
import { parseRates, type RequestedRate } from './rates.ts';
import type { Spec } from './spec.ts';

const SOAK_EVENTS_PER_S = 10_000;
export const STREAM_CLIENTS = 10;

type FixedRate = Extract<RequestedRate, { kind: 'fixed' }>;

/** Load generators that are installed on the machine. */
export interface Tools {
  /** Whether k6 is installed. Without k6, the open-loop driver drives the soak, and the result has a warning. */
  readonly k6: boolean;
  /** Whether wrk is installed. Without wrk, autocannon drives closed loops. */
  readonly wrk: boolean;
}

/** Values that most specs have. */
const COMMON = {
  servers: 'product',
  rate: null,
  throughput_of: null,
  reader: false,
  ceiling: false,
} as const;

/** Values that replace those of the default spec. */
export interface How {
  readonly name?: string;
  readonly group?: string;
  readonly slices?: number;
}

export function batch(options: Options, tools: Tools, how: How = {}): Spec {
  const title =
    options.corpus === undefined
      ? 'Batches of generated events, closed loop'
      : 'Batches of real events, closed loop';
  return closed(options, tools, {
    name: 'batch',
    mode: 'batch',
    title,
    batch_size: options.batchSize,
    ...how,
  });
}

export function single(options: Options, tools: Tools): Spec {
  return closed(options, tools, {
    name: 'single',
    title: 'One event a request, closed loop',
    mode: 'single',
    batch_size: 1,
    slices: 2,
  });
}

interface Closed extends How {
  readonly name: string;
  readonly title: string;
  readonly mode: 'batch' | 'single';
  readonly batch_size: number;
}

function closed(options: Options, tools: Tools, what: Closed): Spec {
  const { name, title, mode } = what;
  const events = options.events ?? null;
  return {
    ...COMMON,
    name,
    title,
    mode,
    group: what.group ?? name,
    driver: options.driver ?? (tools.wrk ? 'wrk' : 'autocannon'),
    corpus: options.corpus,
    workload: {
      ...common(options),
      slices: slicesOf(events, what),
      batch_size: what.batch_size,
      events,
      duration_s: events === null ? (options.duration ?? SLICE_S[mode]) : null,
    },
    ceiling: true,
  };
}

/**
 * Returns the number of slices. A small number of events has fewer slices, so that each has about 100 requests or more.
 */
function slicesOf(events: number | null, { slices = SLICES, batch_size }: Closed): number {
  if (events === null) return slices;
  return Math.max(1, Math.min(slices, Math.floor(events / batch_size / FEWEST_REQUESTS)));
}

const FEWEST_REQUESTS = 100;

/** Returns one open loop per rate. If a rate is a share, the closed loop that it refers to comes first. */
export function opens(options: Options, tools: Tools, asked: readonly RequestedRate[]): Spec[] {
  const specs = asked.map((rate) => open(options, rate, { group: 'open' }));
  if (specs.every((spec) => spec.rate!.kind === 'fixed')) return specs;
  return [batch({ ...options, duration: undefined }, tools, { group: 'open' }), ...specs];
}

export function open(options: Options, rate: RequestedRate, how: How): Spec {
  const streams = options.streamClients ?? 0;
  const [name, load] =
    rate.kind === 'fixed'
      ? [`open_${rate.events_per_s}`, `${rate.events_per_s.toLocaleString('en-US')} events/s`]
      : [`open_${percent(rate)}_percent`, `${percent(rate)} % of each server's own throughput`];
  return {
    ...COMMON,
    name: how.name ?? name,
    title: `Open loop at ${load}${streams > 0 ? `, ${streams} stream clients` : ''}`,
    mode: 'open',
    group: how.group ?? name,
    driver: 'open',
    corpus: options.corpus,
    workload: {
      ...common(options),
      slices: how.slices ?? 1,
      batch_size: options.batchSize,
      events: null,
      duration_s: options.duration ?? (isSlow(rate) ? SLICE_S.slow_open : SLICE_S.open),
    },
    rate,
    throughput_of: rate.kind === 'share' ? 'batch' : null,
  };
}

function isSlow(rate: RequestedRate): boolean {
  return rate.kind === 'fixed' && rate.events_per_s <= SLOW_EVENTS_PER_S;
}

function percent(rate: { readonly share: number }): number {
  return Math.round(rate.share * 100);
}

export function soak(options: Options, tools: Tools): Spec {
  // The command line accepts only one fixed rate for a soak.
  const rate = (options.rates?.[0] ?? { kind: 'fixed', events_per_s: SOAK_EVENTS_PER_S }) as FixedRate;
  const clients = options.streamClients ?? STREAM_CLIENTS;
  const duration_s = options.duration ?? (options.quick ? QUICK_SOAK_S : SOAK_S);
  const length = duration_s % 60 === 0 ? `${duration_s / 60} min` : `${duration_s} s`;
  return {
    ...COMMON,
    name: 'soak',
    title: `Soak: ${length} at ${rate.events_per_s.toLocaleString('en-US')} events/s, ${clients} stream clients, a dashboard`,
    mode: 'soak',
    group: 'soak',
    driver: tools.k6 ? 'k6' : 'open',
    corpus: options.corpus,
    workload: {
      ...common(options),
      slices: 1,
      batch_size: options.batchSize,
      events: null,
      duration_s,
      warmup_events: options.warmup ?? rate.events_per_s * WARMUP_S.soak,
      rounds: 1,
      stream_clients: clients,
    },
    rate,
    reader: true,
  };
}

function common(
  options: Options,
): Omit<Workload, 'rate' | 'events' | 'duration_s' | 'batch_size' | 'slices'> {
  return {
    connections: options.concurrency,
    warmup_events: options.warmup ?? null,
    rounds: options.rounds,
    durability: options.durability,
    max_metadata_bytes: null,
    ids: options.ids,
    preload_events: 0,
    stream_clients: options.streamClients ?? 0,
  };
}

export function rates(text: string): readonly RequestedRate[] {
  return parseRates(text) as readonly RequestedRate[];
}
