/**
 * DATA: the measurements of each mode, in their order.
 *
 * Measurements of one group share their processes, so that a run takes only minutes (decision 68). Invariant: the full
 * comparison (`--mode=all`) needs a corpus only for the row with real events.
 */

import type { Workload } from '../result/result.ts';
import {
  DEFAULT_RATES,
  MAIN_RATES,
  QUICK_SOAK_S,
  SLICE_S,
  SLICES,
  SLOW_EVENTS_PER_S,
  SOAK_S,
  WARMUP_S,
} from './lengths.ts';
import type { Options } from './options.ts';
import { parseRates, type RequestedRate } from './rates.ts';
import type { Spec } from './spec.ts';

const SOAK_EVENTS_PER_S = 10_000;
const STREAM_CLIENTS = 10;

type FixedRate = Extract<RequestedRate, { kind: 'fixed' }>;

/** Load generators that are installed on the machine. */
export interface Tools {
  /** Whether k6 is installed. Without k6, the open-loop driver drives the soak, and the result has a warning. */
  readonly k6: boolean;
  /** Whether wrk is installed. Without wrk, autocannon drives closed loops. */
  readonly wrk: boolean;
}

/**
 * Returns the measurements of the mode that `--pick` selects, and those that they depend on. Starts are not included.
 */
export function specsOf(options: Options, tools: Tools): Spec[] {
  const all = specsOfMode(options, tools);
  if (options.pick === undefined) return all;
  const picked = all.filter((spec) => options.pick!.includes(spec.name));
  const needed = new Set(picked.flatMap((spec) => [spec.name, spec.throughput_of]));
  return all.filter((spec) => needed.has(spec.name));
}

/** Returns the names of all measurements of the mode except starts, regardless of `--pick`. */
export function namesOf(options: Options): string[] {
  return specsOfMode(options, { k6: false, wrk: true }).map(({ name }) => name);
}

/** Returns the specs by group, in the order of the first spec of each group. Specs of a group share their processes. */
export function groupsOf<S extends Pick<Spec, 'group'>>(specs: readonly S[]): S[][] {
  return [...Map.groupBy(specs, ({ group }) => group).values()];
}

function specsOfMode(options: Options, tools: Tools): Spec[] {
  switch (options.mode) {
    case 'startup':
      return [];
    case 'main':
      return [...main(options, tools, MAIN_RATES), ...(options.plain ? plain(options, tools) : [])];
    case 'batch':
      return [batch(options, tools)];
    case 'single':
      return [single(options, tools)];
    case 'open':
      return opens(options, tools, options.rates ?? rates(DEFAULT_RATES));
    case 'soak':
      return [soak(options, tools)];
    case 'all':
      return full(options, tools);
  }
}

/** Returns the measurements of the headline: a closed loop, and open loops in the same processes. */
function main(options: Options, tools: Tools, asked: string): Spec[] {
  const loops = rates(asked).map((rate) =>
    open({ ...options, duration: undefined }, rate, { group: 'main' }),
  );
  return [batch(options, tools, { group: 'main' }), ...loops];
}

/** Returns the full comparison. All measurements use generated events, except the one with a corpus. */
function full(options: Options, tools: Tools): Spec[] {
  const generated = { ...options, corpus: undefined, events: undefined };
  const stream = { ...generated, streamClients: STREAM_CLIENTS };
  const [closed, ...loops] = main({ ...generated, events: options.events }, tools, DEFAULT_RATES);
  return [
    closed!,
    // The other generator sends the same bytes, so that a reader sees the influence of the generator.
    ...(tools.wrk
      ? [
          {
            ...batch({ ...generated, driver: 'autocannon' }, tools, {
              name: 'autocannon',
              group: 'main',
              slices: 2,
            }),
            title: 'The same batches, sent by autocannon',
            ceiling: false,
          },
        ]
      : []),
    ...loops,
    ...plain(generated, tools),
    ...(options.corpus === undefined ? [] : [batch(options, tools, { name: 'corpus', slices: 2 })]),
    single(generated, tools),
    {
      ...batch({ ...generated, durability: 'power' }, tools, { name: 'power', slices: 2 }),
      title: 'Batches with an fsync before each answer',
    },
    open(stream, { kind: 'fixed', events_per_s: 10_000 }, { name: 'stream', group: 'stream' }),
  ];
}

/** Returns the measurements of the plain servers, with the same bytes as the headline (decision 67). */
function plain(options: Options, tools: Tools): Spec[] {
  const how = { group: 'plain', slices: 2 };
  const loops = (['1000', '10000'] as const).flatMap((rate) =>
    rates(rate).map((one) =>
      open({ ...options, duration: undefined }, one, { ...how, name: `plain_${rate}`, slices: 1 }),
    ),
  );
  return [{ ...batch(options, tools, { ...how, name: 'plain_batch' }), ceiling: false }, ...loops].map(
    (spec) => ({
      ...spec,
      servers: 'plain' as const,
      title: `Plain servers: ${spec.title.charAt(0).toLowerCase()}${spec.title.slice(1)}`,
    }),
  );
}

/** Values that replace those of the default spec. */
interface How {
  readonly name?: string;
  readonly group?: string;
  readonly slices?: number;
}

function batch(options: Options, tools: Tools, how: How = {}): Spec {
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

function single(options: Options, tools: Tools): Spec {
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
    name,
    title,
    mode,
    group: what.group ?? name,
    servers: 'product',
    driver: options.driver ?? (tools.wrk ? 'wrk' : 'autocannon'),
    corpus: options.corpus,
    workload: {
      ...common(options),
      slices: slicesOf(events, what),
      batch_size: what.batch_size,
      events,
      duration_s: events === null ? (options.duration ?? SLICE_S[mode]) : null,
    },
    rate: null,
    throughput_of: null,
    reader: false,
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
function opens(options: Options, tools: Tools, asked: readonly RequestedRate[]): Spec[] {
  const specs = asked.map((rate) => open(options, rate, { group: 'open' }));
  if (specs.every((spec) => spec.rate!.kind === 'fixed')) return specs;
  return [batch({ ...options, duration: undefined }, tools, { group: 'open' }), ...specs];
}

function open(options: Options, rate: RequestedRate, how: How): Spec {
  const streams = options.streamClients ?? 0;
  const [name, load] =
    rate.kind === 'fixed'
      ? [`open_${rate.events_per_s}`, `${rate.events_per_s.toLocaleString('en-US')} events/s`]
      : [`open_${percent(rate)}_percent`, `${percent(rate)} % of each server's own throughput`];
  return {
    name: how.name ?? name,
    title: `Open loop at ${load}${streams > 0 ? `, ${streams} stream clients` : ''}`,
    mode: 'open',
    group: how.group ?? name,
    servers: 'product',
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
    reader: false,
    ceiling: false,
  };
}

function isSlow(rate: RequestedRate): boolean {
  return rate.kind === 'fixed' && rate.events_per_s <= SLOW_EVENTS_PER_S;
}

function percent(rate: { readonly share: number }): number {
  return Math.round(rate.share * 100);
}

function soak(options: Options, tools: Tools): Spec {
  // The command line accepts only one fixed rate for a soak.
  const rate = (options.rates?.[0] ?? { kind: 'fixed', events_per_s: SOAK_EVENTS_PER_S }) as FixedRate;
  const clients = options.streamClients ?? STREAM_CLIENTS;
  const duration_s = options.duration ?? (options.quick ? QUICK_SOAK_S : SOAK_S);
  const length = duration_s % 60 === 0 ? `${duration_s / 60} min` : `${duration_s} s`;
  return {
    name: 'soak',
    title: `Soak: ${length} at ${rate.events_per_s.toLocaleString('en-US')} events/s, ${clients} stream clients, a dashboard`,
    mode: 'soak',
    group: 'soak',
    servers: 'product',
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
    throughput_of: null,
    reader: true,
    ceiling: false,
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

function rates(text: string): readonly RequestedRate[] {
  return parseRates(text) as readonly RequestedRate[];
}
