/**
 * DATA: the measurements of each mode, in their order.
 *
 * Measurements of one group share their processes, so that a run takes only minutes (decision 68). Invariant: the full
 * comparison (`--mode=all`) needs a corpus only for the row with real events.
 */
import { DEFAULT_RATES, HEADLINE_ROUNDS, MAIN_RATES } from './lengths.ts';
import { batch, open, opens, STREAM_CLIENTS, single, soak, type Tools } from './loads.ts';
import type { Options } from './options.ts';
import { parseRates, type Spec } from './spec.ts';

/**
 * Returns the measurements of the mode that `--pick` selects, and those that they depend on. Starts are not included.
 */
export function specsOf(options: Options, tools: Tools): Spec[] {
  const all = specsOfMode(options, tools);
  if (options.pick === undefined) return all;
  const picked = all.filter((spec) => options.pick!.includes(spec.name));
  const needed = new Set(
    picked.flatMap(({ name, rate }) => (rate?.kind === 'share' ? [name, 'batch'] : [name])),
  );
  return all.filter((spec) => needed.has(spec.name));
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
      return opens(options, tools, options.rates ?? parseRates(DEFAULT_RATES, []));
    case 'soak':
      return [soak(options, tools)];
    case 'all':
      return full(options, tools);
  }
}

/** Returns the measurements of the headline: a closed loop, and open loops in the same processes. */
function main(options: Options, tools: Tools, asked: string): Spec[] {
  const loops = parseRates(asked, []).map((rate) =>
    open({ ...options, duration: undefined }, rate, { group: 'main' }),
  );
  return [batch(options, tools, { group: 'main' }), ...loops];
}

/** Returns the full comparison. All measurements use generated events, except the one with a corpus. */
function full(options: Options, tools: Tools): Spec[] {
  const generated = { ...options, corpus: undefined, events: undefined };
  const hasRounds = options.quick || options.given.has('rounds');
  const rounds = hasRounds ? options.rounds : HEADLINE_ROUNDS;
  const [closed, ...loops] = main({ ...generated, events: options.events, rounds }, tools, DEFAULT_RATES);
  // The same bytes by the other generator, so that a reader sees the influence of the generator.
  const other = batch({ ...generated, driver: 'autocannon', rounds }, tools, {
    name: 'autocannon',
    title: 'The same batches, sent by autocannon',
    group: 'main',
    slices: 2,
  });
  const power = { name: 'power', title: 'Batches with an fsync before each answer', slices: 2 };
  const stream = { ...generated, streamClients: STREAM_CLIENTS };
  return [
    closed!,
    ...(tools.wrk ? [{ ...other, ceiling: false }] : []),
    ...loops,
    ...plain(generated, tools),
    ...(options.corpus === undefined ? [] : [batch(options, tools, { name: 'corpus', slices: 2 })]),
    single(generated, tools),
    batch({ ...generated, durability: 'power' }, tools, power),
    open(stream, { kind: 'fixed', events_per_s: 10_000 }, { name: 'stream', group: 'stream' }),
  ];
}

/** Returns the measurements of the plain servers, with the same bytes as the headline (decision 67). */
function plain(options: Options, tools: Tools): Spec[] {
  const loops = [1_000, 10_000].map((events_per_s) => {
    const rate = { kind: 'fixed', events_per_s } as const;
    return open({ ...options, duration: undefined }, rate, { name: `plain_${events_per_s}` });
  });
  return [batch(options, tools, { name: 'plain_batch', slices: 2 }), ...loops].map((spec) => ({
    ...spec,
    group: 'plain',
    servers: 'plain',
    ceiling: false,
    title: `Plain servers: ${spec.title.charAt(0).toLowerCase()}${spec.title.slice(1)}`,
  }));
}
