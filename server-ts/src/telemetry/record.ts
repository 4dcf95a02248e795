/** Describes a record of an OTLP request, and the interface that reads it from an encoding. */
import type { Message, Signal } from './otlp.ts';

/** The JSON texts of attribute values by key, in order. */
export type Attributes = ReadonlyMap<string, string>;

/** Returns whether an attribute is kept, by its key and its JSON text. */
export type IsWanted = (key: string, json: string) => boolean;

/** The place of a message. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** Number of container levels that are scanned in slices, for an encoding that needs a scan. */
  readonly levels?: number;
}

/** The contents of a record itself. */
export interface Content {
  readonly attributes: Attributes;
  /** The `eventName` of a log or the name of a span; empty when absent. */
  readonly name: string;
  /** The JSON text of the body of a log. */
  readonly body: string | undefined;
  /** In Unix nanoseconds, as decimal digits: the time and observed time of a log, the start and end of a span. */
  readonly times: readonly [string | undefined, string | undefined];
  /** In lower-case hexadecimal. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly parentSpanId: string | undefined;
  /** Whether the status code of a span is 2. */
  readonly hasFailed: boolean;
}

/** A log record or a span. */
export interface Record extends Content {
  readonly signal: Signal;
  readonly scope: string;
  readonly resource: Attributes;
}

/** The records of one scope of one resource. */
export interface Group {
  readonly scope: string;
  readonly resource: Attributes;
  /** The places of the records. */
  readonly records: Generator<Place | undefined>;
}

/** A request in one of its encodings. An `undefined` from a generator is a pause: other requests run. */
export interface Encoded {
  /** Checks the whole body. */
  check(message: Message): Generator<undefined, void>;
  /** Returns the request itself. */
  root(): Place;
  /** Yields the items of a list of messages. */
  list(parent: Place, message: Message, name: string): Generator<Place | undefined>;
  /** Returns a message nested in a message. */
  one(parent: Place, message: Message, name: string): Generator<undefined, Place | undefined>;
  /** Returns the wanted attributes of a resource. */
  resource(place: Place | undefined, isWanted: IsWanted): Attributes;
  scope(place: Place | undefined): string;
  content(place: Place, signal: Signal): Content;
}
