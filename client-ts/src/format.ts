/** Formats of bodies and answers (contract, "Formats"). JSON is built in, others are entry points. */
import type { EventPage, OutgoingEvent } from './contract.ts';
import type { ResponseLike } from './fetch.ts';

export type Piece = string | Uint8Array<ArrayBuffer>;

/** How events become the body of a request. */
export interface Format {
  /** The media type. */
  readonly type: string;
  /** One event; throws a `TypeError` that names the field for a value that the format cannot carry. */
  event(event: OutgoingEvent): Piece;
  /** A body of these events, each as `event` returned it. */
  batch(pieces: readonly Piece[]): Piece;
}

/** How the answer of `events` becomes a page. */
export interface PageFormat {
  /** The media type. */
  readonly type: string;
  /** Rejects for an answer that is none of the format. */
  page(response: ResponseLike): Promise<EventPage>;
}

/** How typed calls and their responses travel. */
export interface CallFormat {
  /** The media type. */
  readonly type: string;
  call(value: unknown): Piece;
  /** Rejects for an answer that is none of the format. */
  response(response: ResponseLike): Promise<unknown>;
}
