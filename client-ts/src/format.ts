/** Defines formats of bodies and answers (contract, "Formats"). JSON is built in, other formats are entry points. */
import type { EventPage, OutgoingEvent } from './contract.ts';
import type { ResponseLike } from './fetch.ts';

export type Piece = string | Uint8Array<ArrayBuffer>;

/** Encodes events as the body of a request. */
export interface Format {
  /** The media type. */
  readonly type: string;
  /** Encodes one event. Throws a `TypeError` that names the field for a value that the format cannot carry. */
  event(event: OutgoingEvent): Piece;
  /** Joins encoded events to a body. */
  batch(pieces: readonly Piece[]): Piece;
}

/** Decodes the answer of `events` to a page. */
export interface PageFormat {
  /** The media type. */
  readonly type: string;
  /** Whether an answer has all rows up to its limit (FMT-09). */
  readonly isExport?: boolean;
  /** Rejects for an answer that is not in the format. */
  page(response: ResponseLike): Promise<EventPage>;
}

/** Encodes typed calls and decodes their responses. */
export interface CallFormat {
  /** The media type. */
  readonly type: string;
  call(value: unknown): Piece;
  /** Rejects for an answer that is not in the format. */
  response(response: ResponseLike): Promise<unknown>;
}
