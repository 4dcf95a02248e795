/** Makes the specification of each kind of load from the options. */
import { QUICK_SOAK_S, SLICE_S, SLICES, SLOW_EVENTS_PER_S, SOAK_S, WARMUP_S } from './lengths.ts';
import type { Options } from './options.ts';
import type { RequestedRate, Spec } from './spec.ts';

const SOAK_EVENTS_PER_S = 10_000;
export const STREAM_CLIENTS = 10;

/** Fewest requests of a slice. A small number of events has fewer slices. */
const FEWEST_REQUESTS = 100;

type FixedRate = Extract<RequestedRate, { kind: 'fixed' }>;

/** Load generators that are installed on the machine. */
export interface Tools {
  /** Whether k6 is installed. Without k6, the open-loop driver drives the soak, and the result has a warning. */
  readonly k6: boolean;
  /** Whether wrk is installed. Without wrk, autocannon drives closed loops. */
  readonly wrk: boolean;
}

export interface How {
  readonly name?: string;
  readonly title?: string;
  readonly group?: string;
  readonly slices?: number;
}

export function batch(options: Options, tools: Tools, how: How = {}): Spec {
  const events = options.corpus === undefined ? 'generated' : 'real';
  const title = `Batches of ${events} events, closed loop`;
  return closed(options, tools, 'batch', { name: 'batch', title, ...how });
}

export function single(options: Options, tools: Tools): Spec {
  const how = { name: 'single', title: 'One event a request, closed loop', slices: 2 };
  return closed({ ...options, batchSize: 1 }, tools, 'single', how);
}

function closed(
  options: Options,
  tools: Tools,
  mode: 'batch' | 'single',
  { name, title, group = name, slices = SLICES }: How & Pick<Spec, 'name' | 'title'>,
): Spec {
  const { events = null, batchSize } = options;
  const most = events === null ? slices : Math.floor(events / batchSize / FEWEST_REQUESTS);
  return {
    ...common(options),
    name,
    title,
    mode,
    group,
    driver: options.driver ?? (tools.wrk ? 'wrk' : 'autocannon'),
    workload: {
      ...workload(options),
      slices: Math.max(1, Math.min(slices, most)),
      events,
      duration_s: events === null ? (options.duration ?? SLICE_S[mode]) : null,
    },
    ceiling: true,
  };
}

/** Returns one open loop per rate. If a rate is a share, the closed loop that it refers to comes first. */
export function opens(options: Options, tools: Tools, asked: readonly RequestedRate[]): Spec[] {
  const specs = asked.map((rate) => open(options, rate, { group: 'open' }));
  if (specs.every((spec) => spec.rate!.kind === 'fixed')) return specs;
  return [batch({ ...options, duration: undefined }, tools, { group: 'open' }), ...specs];
}

export function open(options: Options, rate: RequestedRate, how: Pick<How, 'name' | 'group'>): Spec {
  const streams = options.streamClients ?? 0;
  const percent = rate.kind === 'share' ? Math.round(rate.share * 100) : null;
  const [name, load] =
    rate.kind === 'fixed'
      ? [`open_${rate.events_per_s}`, eventsPerSecond(rate)]
      : [`open_${percent}_percent`, `${percent} % of each server's own throughput`];
  const isSlow = rate.kind === 'fixed' && rate.events_per_s <= SLOW_EVENTS_PER_S;
  return {
    ...common(options),
    name,
    title: `Open loop at ${load}${streams > 0 ? `, ${streams} stream clients` : ''}`,
    mode: 'open',
    group: name,
    driver: 'open',
    workload: {
      ...workload(options),
      duration_s: options.duration ?? (isSlow ? SLICE_S.slow_open : SLICE_S.open),
    },
    rate,
    ...how,
  };
}

export function soak(options: Options, tools: Tools): Spec {
  // The command line accepts only one fixed rate for a soak.
  const rate = (options.rates?.[0] ?? { kind: 'fixed', events_per_s: SOAK_EVENTS_PER_S }) as FixedRate;
  const stream_clients = options.streamClients ?? STREAM_CLIENTS;
  const duration_s = options.duration ?? (options.quick ? QUICK_SOAK_S : SOAK_S);
  const length = duration_s % 60 === 0 ? `${duration_s / 60} min` : `${duration_s} s`;
  return {
    ...common(options),
    name: 'soak',
    title: `Soak: ${length} at ${eventsPerSecond(rate)}, ${stream_clients} stream clients, a dashboard`,
    mode: 'soak',
    group: 'soak',
    driver: tools.k6 ? 'k6' : 'open',
    workload: {
      ...workload(options),
      duration_s,
      warmup_events: options.warmup ?? rate.events_per_s * WARMUP_S.soak,
      rounds: 1,
      stream_clients,
    },
    rate,
  };
}

function common({ corpus }: Options) {
  return {
    servers: 'product',
    corpus,
    rate: null,
    ceiling: false,
  } as const;
}

function workload(options: Options): Omit<Spec['workload'], 'duration_s'> {
  return {
    connections: options.concurrency,
    warmup_events: options.warmup ?? null,
    rounds: options.rounds,
    durability: options.durability,
    max_metadata_bytes: null,
    ids: 'random',
    preload_events: 0,
    stream_clients: options.streamClients ?? 0,
    slices: 1,
    batch_size: options.batchSize,
    events: null,
  };
}

function eventsPerSecond({ events_per_s }: FixedRate): string {
  return `${events_per_s.toLocaleString('en-US')} events/s`;
}
