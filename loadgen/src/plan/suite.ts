/**
 * DATA: the measurements of each mode, in their order.
 *
 * Measurements of one group share their processes, so that a run takes only minutes (decision 68). Invariant: the full
 * comparison (`--mode=all`) needs a corpus only for the row with real events.
 */
import type { RunMode } from './flags.ts';
import { RATES, ROUNDS, SLICE_S, SLICES, SLOW_EVENTS_PER_S, SOAK_S, WARMUP_S } from './lengths.ts';
import { type Options, parseRates, type RequestedRate, type Spec } from './spec.ts';

/** Rate of the soak, rate of the open loop with clients of the stream, and the number of clients in both. */
const SOAK_RATE: FixedRate = { kind: 'fixed', events_per_s: RATES.soak };
const STREAM_RATE: FixedRate = { kind: 'fixed', events_per_s: 10_000 };
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
export function specsOf({ driver, ...options }: Options, tools: Tools): Spec[] {
  const closedLoopDriver = driver ?? (tools.wrk ? 'wrk' : 'autocannon');
  const all = BY_MODE[options.mode]({ ...options, driver: closedLoopDriver }, tools);
  if (options.pick === undefined) return all;
  const picked = all.filter(({ name }) => options.pick!.includes(name));
  const hasShare = picked.some(({ rate }) => rate?.kind === 'share');
  return all.filter((spec) => picked.includes(spec) || (hasShare && spec.name === 'batch'));
}

/** Returns the specs by group, in the order of the first spec of each group. Specs of a group share their processes. */
export function groupsOf<S extends Pick<Spec, 'group'>>(specs: readonly S[]): S[][] {
  return [...Map.groupBy(specs, ({ group }) => group).values()];
}

/** The options with the driver of closed loops. */
type Chosen = Options & { readonly driver: 'autocannon' | 'wrk' };

const BY_MODE: Readonly<Record<RunMode, (options: Chosen, tools: Tools) => Spec[]>> = {
  startup: () => [],
  main: (options) => [...main(options, RATES.main), ...(options.plain ? plain(options) : [])],
  batch: (options) => [closedLoop(options)],
  single: (options) => [closedLoop(options, SINGLE)],
  open: opens,
  soak: (options, tools) => [soak(options, tools)],
  all: full,
};

/** Returns the measurements of the headline: a closed loop, and open loops in the same processes. */
function main(options: Chosen, rates: string, how: How = {}): Spec[] {
  // `--duration` is the length of the closed loop or of the open loops, not of both.
  const loops = parseRates(rates, []).map((rate) => open({ ...options, duration: undefined }, rate));
  return inGroup('main', [closedLoop(options, how), ...loops]);
}

/** Returns one open loop per rate. If a rate is a share, the closed loop that it refers to comes first. */
function opens(options: Chosen): Spec[] {
  const rates = options.rates ?? parseRates(RATES.all, []);
  const loops = rates.map((rate) => open(options, rate));
  const hasShare = rates.some(({ kind }) => kind === 'share');
  return inGroup('open', hasShare ? [closedLoop({ ...options, duration: undefined }), ...loops] : loops);
}

/** Returns the full comparison. All measurements use generated events, except the one with a corpus. */
function full(options: Chosen, tools: Tools): Spec[] {
  const generated = { ...options, corpus: undefined, events: undefined };
  const hasRounds = options.quick || options.given.has('rounds');
  const headline = { ...generated, rounds: hasRounds ? options.rounds : ROUNDS.headline };
  const [closed, ...loops] = main({ ...headline, events: options.events }, RATES.all);
  // The same bytes by the other generator, so that a reader sees the influence of the generator.
  const title = 'The same batches, sent by autocannon';
  const other = { name: 'autocannon', title, group: 'main', slices: 2, ceiling: false };
  const power = { name: 'power', title: 'Batches with an fsync before each answer', slices: 2 };
  const stream = { ...generated, streamClients: STREAM_CLIENTS };
  return [
    closed!,
    ...(tools.wrk ? [closedLoop({ ...headline, driver: 'autocannon' }, other)] : []),
    ...loops,
    ...plain(generated),
    ...(options.corpus === undefined ? [] : [closedLoop(options, { name: 'corpus', slices: 2 })]),
    closedLoop(generated, SINGLE),
    closedLoop({ ...generated, durability: 'power' }, power),
    ...inGroup('stream', [{ ...open(stream, STREAM_RATE), name: 'stream' }]),
  ];
}

/** Returns the measurements of the plain servers, with the same bytes as the headline (decision 67). */
function plain(options: Chosen): Spec[] {
  const specs = main(options, RATES.plain, { slices: 2, ceiling: false });
  return inGroup('plain', specs).map((spec) => ({
    ...spec,
    name: `plain_${spec.name.replace('open_', '')}`,
    servers: 'plain',
    title: `Plain servers: ${spec.title.charAt(0).toLowerCase()}${spec.title.slice(1)}`,
  }));
}

function inGroup(group: string, specs: readonly Spec[]): Spec[] {
  return specs.map((spec) => ({ ...spec, group }));
}

/** What a closed loop has in place of the usual. */
type How = Partial<Pick<Spec, 'name' | 'title' | 'group' | 'ceiling'>> & {
  readonly mode?: 'batch' | 'single';
  readonly slices?: number;
};

const SINGLE: How = { name: 'single', title: 'One event a request, closed loop', mode: 'single', slices: 2 };

function closedLoop(options: Chosen, { slices = SLICES, mode = 'batch', ...how }: How = {}): Spec {
  const { corpus, driver, events = null, duration = SLICE_S[mode] } = options;
  const batch_size = mode === 'single' ? 1 : options.batchSize;
  const title = `Batches of ${corpus === undefined ? 'generated' : 'real'} events, closed loop`;
  const most = events === null ? slices : Math.floor(events / batch_size / FEWEST_REQUESTS);
  const own = { name: 'batch', title, mode, driver, ceiling: true, ...how };
  return specOf(options, own, {
    batch_size,
    slices: Math.max(1, Math.min(slices, most)),
    events,
    duration_s: events === null ? duration : null,
  });
}

function open(options: Options, rate: RequestedRate): Spec {
  const { streamClients: clients = 0, duration } = options;
  const isSlow = rate.kind === 'fixed' && rate.events_per_s <= SLOW_EVENTS_PER_S;
  const percent = rate.kind === 'share' ? Math.round(rate.share * 100) : null;
  const [name, load] =
    rate.kind === 'fixed'
      ? [`open_${rate.events_per_s}`, eventsPerSecond(rate)]
      : [`open_${percent}_percent`, `${percent} % of each server's own throughput`];
  const title = `Open loop at ${load}${clients > 0 ? `, ${clients} stream clients` : ''}`;
  const own = { name, title, mode: 'open', driver: 'open', rate } as const;
  return specOf(options, own, { duration_s: duration ?? (isSlow ? SLICE_S.slow_open : SLICE_S.open) });
}

function soak(options: Options, tools: Tools): Spec {
  const usual = SOAK_S[options.quick ? 'quick' : 'default'];
  const { streamClients = STREAM_CLIENTS, duration = usual } = options;
  // The command line accepts only one fixed rate for a soak.
  const rate = (options.rates?.[0] ?? SOAK_RATE) as FixedRate;
  const length = duration % 60 === 0 ? `${duration / 60} min` : `${duration} s`;
  const title = `Soak: ${length} at ${eventsPerSecond(rate)}, ${streamClients} stream clients, a dashboard`;
  const own = { name: 'soak', title, mode: 'soak', driver: tools.k6 ? 'k6' : 'open', rate } as const;
  return specOf(options, own, {
    duration_s: duration,
    warmup_events: options.warmup ?? rate.events_per_s * WARMUP_S.soak,
    rounds: 1,
    stream_clients: streamClients,
  });
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
      stream_clients: options.streamClients ?? 0,
      ...load,
    },
  };
}
