/**
 * The requests of one order: number k of them holds the events k*size to k*size+size-1 of its range.
 *
 * Invariants: a request is a function of its number, for every tool and order. Its body exists only from the moment it
 * is asked for. Knows nothing of time or connections.
 */
import { batchBody, countWithId, type Range, singleBody } from '../bodies.ts';
import type { Pool } from '../pool.ts';
import type { Job } from './driver.ts';

const PATHS: Readonly<Record<Job['endpoint'], string>> = {
  batch: '/api/events/batch',
  single: '/api/events',
};

export class Requests {
  readonly path: string;
  /** How many there are; the last may hold fewer events. */
  readonly count: number;
  readonly #pool: Pool;
  readonly #job: Job;
  readonly #range: Range;

  constructor(pool: Pool, job: Job, range: Range) {
    if (job.endpoint === 'single' && job.batchSize !== 1)
      throw new RangeError(`a single event a request, not ${job.batchSize}`);
    this.path = PATHS[job.endpoint];
    this.count = Math.ceil(range.count / job.batchSize);
    this.#pool = pool;
    this.#job = job;
    this.#range = range;
  }

  /** How many events of the range carry an id. */
  get eventIds(): number {
    return countWithId(this.#pool, this.#range);
  }

  events(number: number): number {
    const { batchSize } = this.#job;
    return Math.min(batchSize, this.#range.count - number * batchSize);
  }

  /** In `free`, the memory of a body that was sent, if that is large enough. */
  body(number: number, free?: ArrayBuffer): Buffer {
    const first = this.#range.first + number * this.#job.batchSize;
    if (this.#job.endpoint === 'single') return singleBody(this.#pool, first, free);
    return batchBody(this.#pool, { first, count: this.events(number) }, free);
  }
}
