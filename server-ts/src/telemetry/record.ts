/** Describes a record of an OTLP request, and what reads it from an encoding. */
import type { Message, Signal } from './otlp.ts';

/** The JSON texts of the values of attributes by their keys, in their order. */
export type Attributes = ReadonlyMap<string, string>;

/** Whether an attribute is kept, by its key and its JSON text. */
export type IsWanted = (key: string, json: string) => boolean;

/** Where a message lies. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** How many levels of containers are scanned in slices, where the encoding has to scan them. */
  readonly levels?: number;
}

/** What is in a record itself. */
export interface Content {
  readonly attributes: Attributes;
  /** The `eventName` of a log, the name of a span; empty where there is none. */
  readonly name: string;
  /** The JSON text of the body of a log. */
  readonly body: string | undefined;
  /** In Unix nanoseconds, as decimal digits: of a log its time and its observed time, of a span its start and its end. */
  readonly times: readonly [string | undefined, string | undefined];
  /** In lower-case hexadecimal. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly parentSpanId: string | undefined;
  /** The code of the status of a span is 2. */
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
  /** Where the records lie. */
  readonly records: Generator<Place | undefined>;
}

/** A request in one of its encodings. `undefined` among what a generator gives is a pause: other requests run. */
export interface Encoded {
  /** Checks the whole body. */
  check(message: Message): Generator<undefined, void>;
  /** The request itself. */
  root(): Place;
  /** The items of a list of messages. */
  list(parent: Place, message: Message, name: string): Generator<Place | undefined>;
  /** A message inside of a message. */
  one(parent: Place, message: Message, name: string): Generator<undefined, Place | undefined>;
  /** The attributes of a resource that are wanted. */
  resource(place: Place | undefined, isWanted: IsWanted): Attributes;
  scope(place: Place | undefined): string;
  content(place: Place, signal: Signal): Content;
}
