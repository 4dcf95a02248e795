/** Posts to a server from a process of its own: the parent's side of `poster-process.ts`. */

import { Helper, type HelperOptions } from '../run/helper.ts';
import type { Host } from '../run/host.ts';
import { type Shape, SMALL } from './bodies.ts';
import type { Order, Posted, Reply } from './poster-process.ts';

export interface PosterOptions extends Pick<HelperOptions, 'placement' | 'lifetime'> {
  readonly seed: number;
}

export interface Load extends Pick<Order, 'batch' | 'requests' | 'connections'> {
  /** Events per second at fixed times; without it the load is as fast as the server. */
  readonly per_s?: number;
  readonly seconds?: number;
  readonly shape?: Omit<Shape, 'seed'>;
}

export class Poster {
  readonly #helper: Helper<Order, Reply>;
  readonly #seed: number;

  constructor({ seed, placement, lifetime }: PosterOptions) {
    this.#seed = seed;
    const program = new URL('./poster-process.ts', import.meta.url);
    this.#helper = new Helper({ name: 'the poster', program, placement, lifetime });
  }

  async post(host: Host, load: Load): Promise<Posted> {
    const { batch, requests, connections, per_s = null, seconds = null, shape = SMALL } = load;
    const first = host.take(batch * requests);
    const order = { batch, requests, connections, per_s, seconds, first };
    const own = { url: host.url, shape: { ...shape, seed: this.#seed } };
    return (await this.#helper.ask({ ...order, ...own }, 'posted')).posted;
  }

  /** Posts as fast as possible. `concurrency` is the number of single events in flight; `null` sends one batch. */
  burst(host: Host, events: number, concurrency: number | null): Promise<Posted> {
    if (concurrency === null) return this.post(host, { batch: events, requests: 1, connections: 1 });
    return this.post(host, { batch: 1, requests: events, connections: concurrency });
  }

  close(): Promise<void> {
    return this.#helper.close();
  }
}
