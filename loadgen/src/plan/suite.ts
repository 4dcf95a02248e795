/**
 * DATA: the measurements of each mode, in their order.
 *
 * Measurements of one group share their processes, so that a run takes only minutes (decision 68). Invariant: the full
 * comparison (`--mode=all`) needs a corpus only for the row with real events.
 */
import type { RunMode } from './flags.ts';
import {
  DEFAULT_RATES,
  HEADLINE_ROUNDS,
  MAIN_RATES,
  QUICK_SOAK_S,
  SLICE_S,
  SLICES,
  SLOW_EVENTS_PER_S,
  SOAK_S,
  WARMUP_S,
} from './lengths.ts';
import type { Options } from './options.ts';
import { parseRates, type RequestedRate, type Spec } from './spec.ts';

const SOAK_EVENTS_PER_S = 10_000;
const STREAM_CLIENTS = 10;

/** Fewest requests of a slice. A small number of events has fewer slices. */
const FEWEST_REQUESTS = 100;

/** Whether these load generators are installed on the machine. */
export interface Tools {
  /** Without k6, the open-loop driver drives the soak, and the result has a warning. */
  readonly k6: boolean;
  /** Without wrk, autocannon drives closed loops. */
  readonly wrk: boolean;
}

/**
 * Returns the measurements of the mode that `--pick` selects, and those that they depend on. Starts are not included.
 */
export function specsOf(options: Options, tools: Tools): Spec[] {
  const all = BY_MODE[options.mode](options, tools);
  if (options.pick === undefined) return all;
  const picked = all.filter(({ name }) => options.pick!.includes(name));
  const hasShare = picked.some(({ rate }) => rate?.kind === 'share');
  return all.filter((spec) => picked.includes(spec) || (hasShare && spec.name === 'batch'));
}

/** Returns the specs by group, in the order of the first spec of each group. Specs of a group share their processes. */
export function groupsOf<S extends Pick<Spec, 'group'>>(specs: readonly S[]): S[][] {
  return [...Map.groupBy(specs, ({ group }) => group).values()];
}

const BY_MODE: Readonly<Record<RunMode, (options: Options, tools: Tools) => Spec[]>> = {
  startup: () => [],
  main: (options, tools) => [
    ...main(options, tools, MAIN_RATES),
    ...(options.plain ? plain(options, tools) : []),
  ],
  batch: (options, tools) => [closedLoop(options, tools)],
  single: (options, tools) => [single(options, tools)],
  open: opens,
  soak: (options, tools) => [soak(options, tools)],
  all: full,
};

/** Returns the measurements of the headline: a closed loop, and open loops in the same processes. */
function main(options: Options, tools: Tools, rates: string): Spec[] {
  const loops = parseRates(rates, []).map((rate) => open(withoutLength(options), rate, { group: 'main' }));
  return [closedLoop(options, tools, { group: 'main' }), ...loops];
}

/** Returns one open loop per rate. If a rate is a share, the closed loop that it refers to comes first. */
function opens(options: Options, tools: Tools): Spec[] {
  const rates = options.rates ?? parseRates(DEFAULT_RATES, []);
  const specs = rates.map((rate) => open(options, rate, { group: 'open' }));
  const hasShare = rates.some(({ kind }) => kind === 'share');
  return hasShare ? [closedLoop(withoutLength(options), tools, { group: 'open' }), ...specs] : specs;
}

/** Returns the full comparison. All measurements use generated events, except the one with a corpus. */
function full(options: Options, tools: Tools): Spec[] {
  const generated = { ...options, corpus: undefined, events: undefined };
  const hasRounds = options.quick || options.given.has('rounds');
  const headline = { ...generated, rounds: hasRounds ? options.rounds : HEADLINE_ROUNDS };
  const [closed, ...loops] = main({ ...headline, events: options.events }, tools, DEFAULT_RATES);
  // The same bytes by the other generator, so that a reader sees the influence of the generator.
  const other = closedLoop({ ...headline, driver: 'autocannon' }, tools, {
    name: 'autocannon',
    title: 'The same batches, sent by autocannon',
    group: 'main',
    slices: 2,
    ceiling: false,
  });
  const power = { name: 'power', title: 'Batches with an fsync before each answer', slices: 2 };
  const stream = { ...generated, streamClients: STREAM_CLIENTS };
  return [
    closed!,
    ...(tools.wrk ? [other] : []),
    ...loops,
    ...plain(generated, tools),
    ...(options.corpus === undefined ? [] : [closedLoop(options, tools, { name: 'corpus', slices: 2 })]),
    single(generated, tools),
    closedLoop({ ...generated, durability: 'power' }, tools, power),
    open(stream, { kind: 'fixed', events_per_s: 10_000 }, { name: 'stream' }),
  ];
}

/** Returns the measurements of the plain servers, with the same bytes as the headline (decision 67). */
function plain(options: Options, tools: Tools): Spec[] {
  const loops = [1_000, 10_000].map((events_per_s) =>
    open(withoutLength(options), { kind: 'fixed', events_per_s }, { name: `plain_${events_per_s}` }),
  );
  return [closedLoop(options, tools, { name: 'plain_batch', slices: 2 }), ...loops].map((spec) => ({
    ...spec,
    group: 'plain',
    servers: 'plain',
    ceiling: false,
    title: `Plain servers: ${spec.title.charAt(0).toLowerCase()}${spec.title.slice(1)}`,
  }));
}

/** `--duration` is the length of the closed loop or of the open loops, not of both. */
function withoutLength(options: Options): Options {
  return { ...options, duration: undefined };
}

/** What a measurement has in place of the usual. */
type How = Partial<Pick<Spec, 'name' | 'title' | 'group' | 'ceiling'>> & { readonly slices?: number };

function closedLoop(
  options: Options,
  tools: Tools,
  { slices = SLICES, ...how }: How = {},
  mode: 'batch' | 'single' = 'batch',
): Spec {
  const { corpus, events = null, batchSize, duration = SLICE_S[mode] } = options;
  const title = `Batches of ${corpus === undefined ? 'generated' : 'real'} events, closed loop`;
  const most = events === null ? slices : Math.floor(events / batchSize / FEWEST_REQUESTS);
  const driver = options.driver ?? (tools.wrk ? 'wrk' : 'autocannon');
  return specOf(
    options,
    { name: 'batch', title, mode, driver, ceiling: true, ...how },
    {
      slices: Math.max(1, Math.min(slices, most)),
      events,
      duration_s: events === null ? duration : null,
    },
  );
}

function single(options: Options, tools: Tools): Spec {
  const how = { name: 'single', title: 'One event a request, closed loop', slices: 2 };
  return closedLoop({ ...options, batchSize: 1 }, tools, how, 'single');
}

function open(options: Options, rate: RequestedRate, how: Pick<How, 'name' | 'group'>): Spec {
  const clients = options.streamClients ?? 0;
  const percent = rate.kind === 'share' ? Math.round(rate.share * 100) : null;
  const [name, load] =
    rate.kind === 'fixed'
      ? [`open_${rate.events_per_s}`, eventsPerSecond(rate)]
      : [`open_${percent}_percent`, `${percent} % of each server's own throughput`];
  const title = `Open loop at ${load}${clients > 0 ? `, ${clients} stream clients` : ''}`;
  const isSlow = rate.kind === 'fixed' && rate.events_per_s <= SLOW_EVENTS_PER_S;
  const { duration = isSlow ? SLICE_S.slow_open : SLICE_S.open } = options;
  return specOf(
    options,
    { name, title, mode: 'open', driver: 'open', rate, ...how },
    { duration_s: duration },
  );
}

function soak(options: Options, tools: Tools): Spec {
  const { streamClients = STREAM_CLIENTS, duration = options.quick ? QUICK_SOAK_S : SOAK_S } = options;
  // The command line accepts only one fixed rate for a soak.
  const rate = (options.rates?.[0] ?? { kind: 'fixed', events_per_s: SOAK_EVENTS_PER_S }) as FixedRate;
  const length = duration % 60 === 0 ? `${duration / 60} min` : `${duration} s`;
  const title = `Soak: ${length} at ${eventsPerSecond(rate)}, ${streamClients} stream clients, a dashboard`;
  const driver = tools.k6 ? 'k6' : 'open';
  return specOf(
    options,
    { name: 'soak', title, mode: 'soak', driver, rate },
    {
      duration_s: duration,
      warmup_events: options.warmup ?? rate.events_per_s * WARMUP_S.soak,
      rounds: 1,
      stream_clients: streamClients,
    },
  );
}

type FixedRate = Extract<RequestedRate, { kind: 'fixed' }>;

function eventsPerSecond({ events_per_s }: FixedRate): string {
  return `${events_per_s.toLocaleString('en-US')} events/s`;
}

/** Returns a measurement of its own group on the servers of this repository, unless `own` and `load` say otherwise. */
function specOf(
  options: Options,
  own: Pick<Spec, 'name' | 'title' | 'mode' | 'driver'> & Partial<Spec>,
  load: Partial<Spec['workload']>,
): Spec {
  return {
    group: own.name,
    servers: 'product',
    corpus: options.corpus,
    rate: null,
    ceiling: false,
    ...own,
    workload: {
      connections: options.concurrency,
      batch_size: options.batchSize,
      events: null,
      duration_s: null,
      warmup_events: options.warmup ?? null,
      rounds: options.rounds,
      slices: 1,
      durability: options.durability,
      max_metadata_bytes: null,
      ids: 'random',
      preload_events: 0,
      stream_clients: options.streamClients ?? 0,
      ...load,
    },
  };
}
