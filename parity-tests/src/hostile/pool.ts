/** Gives hostile texts to targets, so that each target has every text before one again. */
import { LONG_VALUES, SHORT_VALUES } from '@twin-ingest/testkit/hostile/values.ts';
import { type Random, shuffle } from '@twin-ingest/testkit/random.ts';

/** One text of this many is long. */
const LONG_EVERY = 30;

/** A request, and what is hostile in it. */
export interface HostileRequest {
  readonly what: string;
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Makes requests that are hostile in one way. `serial` is another one for each request. */
export type Target = (random: Random, serial: number) => HostileRequest;

/** The texts of one target. */
export class Pool {
  readonly #short: string[] = [];
  readonly #long: string[] = [];

  next(random: Random): string {
    const [rest, all] =
      random.below(LONG_EVERY) === 0 ? [this.#long, LONG_VALUES] : [this.#short, SHORT_VALUES];
    if (rest.length === 0) rest.push(...shuffle(random, [...all]));
    return rest.pop()!;
  }
}

/** The start of a text, for a message. */
export function startOf(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}… (${text.length})`;
}
