/** Posts to a server from a process of its own: the parent's side of `poster-process.ts`. */

import { Helper, type HelperOptions } from '../run/helper.ts';
import type { Host } from '../run/host.ts';
import { type Shape, SMALL } from './bodies.ts';
import type { Order, Paced, Posted, Reply } from './poster-process.ts';

export interface PosterOptions extends Pick<HelperOptions, 'placement' | 'lifetime'> {
  readonly seed: number;
}

type Pace = Pick<Paced, 'per_s' | 'batch' | 'requests' | 'connections'>;

export class Poster {
  readonly #helper: Helper<Order, Reply>;
  readonly #seed: number;

  constructor({ seed, placement, lifetime }: PosterOptions) {
    this.#seed = seed;
    this.#helper = new Helper({
      name: 'the poster',
      program: new URL('./poster-process.ts', import.meta.url),
      placement,
      lifetime,
    });
  }

  /** Posts as fast as possible. `concurrency` is the number of single events in flight; `null` sends one batch. */
  burst(host: Host, events: number, concurrency: number | null): Promise<Posted> {
    return this.#post({ ...this.#common(host, events, SMALL), kind: 'burst', events, concurrency });
  }

  /** Posts at fixed times, independent of the server's speed. */
  paced(host: Host, pace: Pace, shape: Omit<Shape, 'seed'> = SMALL): Promise<Posted> {
    return this.#post({ ...this.#common(host, pace.requests * pace.batch, shape), kind: 'paced', ...pace });
  }

  /** Posts at saturation, in batches of `batch`, until `events` are sent or `seconds` are over. */
  closed(host: Host, events: number, seconds: number, batch: number, connections: number): Promise<Posted> {
    const common = this.#common(host, events, SMALL);
    return this.#post({ ...common, kind: 'closed', events, seconds, batch, connections });
  }

  close(): Promise<void> {
    return this.#helper.close();
  }

  #common(host: Host, events: number, shape: Omit<Shape, 'seed'>) {
    return { url: host.url, shape: { ...shape, seed: this.#seed }, first: host.take(events) };
  }

  async #post(order: Order): Promise<Posted> {
    return (await this.#helper.ask(order, 'posted')).posted;
  }
}
