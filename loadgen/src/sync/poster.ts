/** Posts to a server from a process of its own, the parent's side of `poster-process.ts`, and measures the server. */
import { createHistogram, latencyOf, record } from '../analyse/histogram.ts';
import { createProbe } from '../observe/probe.ts';
import { Helper } from '../run/helper.ts';
import type { Host, Launch } from '../run/host.ts';
import type { Order, Posted } from './poster-process.ts';
import { SMALL } from './posting.ts';
import type { Sizes } from './sizes.ts';

/** The order of a load. By default its events are small, it has no pace and no time limit. */
export interface Load
  extends Pick<Order, 'batch' | 'requests' | 'connections'>,
    Partial<Pick<Order, 'per_s' | 'seconds'>> {
  readonly shape?: typeof SMALL;
}

export class Poster {
  readonly #helper: Helper<Order, Posted>;
  readonly #seed: number;

  constructor(seed: number, { placement, lifetime }: Launch) {
    this.#seed = seed;
    const program = new URL('./poster-process.ts', import.meta.url);
    this.#helper = new Helper({ name: 'the poster', program, placement, lifetime });
  }

  post(host: Host, { shape = SMALL, ...load }: Load): Promise<Posted> {
    const first = host.take(load.batch * load.requests);
    const own = { url: host.url, first, shape: { ...shape, seed: this.#seed } };
    const order = { per_s: null, seconds: null, ...load, ...own };
    return this.#helper.ask(order, 'posted');
  }

  /** Posts as fast as possible. `concurrency` is the number of single events in flight; `null` sends one batch. */
  burst(host: Host, events: number, concurrency: number | null): Promise<Posted> {
    if (concurrency === null) return this.post(host, { batch: events, requests: 1, connections: 1 });
    return this.post(host, { batch: 1, requests: events, connections: concurrency });
  }
}

const BATCH = 50;
/**
 * The server holds 1,024 connections, and a thousand of them are the clients'. So few connections post, with many
 * events in each request.
 */
export const CONNECTIONS = 8;

interface Offered {
  readonly poster: Poster;
  readonly sizes: Sizes;
}

/** Posts at the offered rate for `seconds`. */
export function load(host: Host, { poster, sizes }: Offered, seconds: number, shape = SMALL) {
  const per_s = sizes.load_events_per_s;
  const requests = Math.max(1, Math.round((per_s * seconds) / BATCH));
  return poster.post(host, { per_s, batch: BATCH, requests, connections: CONNECTIONS, shape });
}

/** Posts at the offered rate for the length of a round. Returns the posts, and figures of the server meanwhile. */
export async function measuredLoad(host: Host, offered: Offered, shape = SMALL) {
  const probe = createProbe();
  const before = await probe(host.pid);
  const posted = await load(host, offered, offered.sizes.load_s, shape);
  const after = await probe(host.pid);
  const took_ms = posted.ended_ms - posted.started_ms;
  const cpu_us = before.cpu_us === null || after.cpu_us === null ? null : after.cpu_us - before.cpu_us;
  // From when a post was due to its response.
  const answers = createHistogram();
  for (const { from_ms, answered_ms } of posted.answers) record(answers, answered_ms - from_ms);
  return {
    posted,
    figures: {
      ingest_events_per_s: (posted.events / took_ms) * 1000,
      ingest_p99_ms: latencyOf(answers)!.p99_ms,
      server_cpu_us_per_event: cpu_us === null ? null : cpu_us / posted.events,
      server_cpu_share: cpu_us === null ? null : cpu_us / 1000 / took_ms,
    },
  };
}
