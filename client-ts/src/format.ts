/** How events become the body of a request (contract, "Formats"). JSON is built in, others are entry points. */
import type { OutgoingEvent } from './contract.ts';

export type Piece = string | Uint8Array<ArrayBuffer>;

export interface Format {
  /** The media type. */
  readonly type: string;
  /** One event; throws a `TypeError` that names the field for a value that the format cannot carry. */
  event(event: OutgoingEvent): Piece;
  /** A body of these events, each as `event` returned it. */
  batch(pieces: readonly Piece[]): Piece;
}
