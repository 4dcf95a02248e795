/**
 * Visits the records of a request one by one (rules OTL-02 to OTL-04 and OTL-06).
 *
 * Invariant: one record is in memory at a time. Both encodings of a request yield the same records.
 */
import { LIMITS } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import { JsonRequest } from './json-request.ts';
import { type Message, messageOf, type Request, type Signal } from './otlp.ts';
import { ProtobufRequest } from './protobuf-request.ts';
import type { Encoded, Group, IsWanted, Place, Record } from './record.ts';

const METRIC = messageOf('Metric');

/** Records per slice, and their size; other requests run between slices. */
const SLICE_RECORDS = 2000;
const SLICE_BYTES = 1 << 18;

/** The records of a well-formed request. */
export class Records {
  readonly signal: Signal;
  private readonly encoded: Encoded;
  private readonly message: Message;

  private constructor(encoded: Encoded, { message, signal }: Request) {
    this.encoded = encoded;
    this.message = message;
    this.signal = signal;
  }

  /** Checks a body to its last byte. */
  static *read(body: Buffer, format: Format, request: Request): Generator<undefined, Records> {
    const encoded = format === 'json' ? new JsonRequest(body) : new ProtobufRequest(body);
    yield* encoded.check(request.message);
    return new Records(encoded, request);
  }

  /** Yields the groups, with the wanted attributes of their resources. */
  *groups(isWanted: IsWanted): Generator<Group | undefined> {
    const { encoded, message } = this;
    const resources = listOf(message);
    const scopes = listOf(resources.message);
    const records = listOf(scopes.message);
    for (const parent of encoded.list(encoded.root(), message, resources.name)) {
      if (parent === undefined) {
        yield undefined;
        continue;
      }
      const resource = encoded.resource(yield* encoded.one(parent, resources.message, 'resource'), isWanted);
      for (const place of encoded.list(parent, resources.message, scopes.name)) {
        if (place === undefined) {
          yield undefined;
          continue;
        }
        const scope = encoded.scope(yield* encoded.one(place, scopes.message, 'scope'));
        yield { scope, resource, records: withPauses(encoded.list(place, scopes.message, records.name)) };
      }
    }
  }

  record({ scope, resource }: Group, place: Place): Record {
    return { ...this.encoded.content(place, this.signal), signal: this.signal, scope, resource };
  }

  /** Counts the data points of a group's metrics. */
  *points({ records }: Group): Generator<undefined, number> {
    let count = 0;
    for (const metric of records) {
      if (metric === undefined) {
        yield undefined;
        continue;
      }
      for (const kind of METRIC.fields) {
        if (kind?.message === undefined) continue;
        const place = yield* this.encoded.one(metric, METRIC, kind.name);
        if (place === undefined) continue;
        for (const point of this.encoded.list(place, kind.message, 'dataPoints')) {
          if (point === undefined) yield undefined;
          else count++;
        }
      }
    }
    return count;
  }
}

/** Returns whether a record is too large to read (rule OTL-06). */
export function isTooLarge({ start, end }: Place): boolean {
  return end - start > LIMITS.otlp_record_bytes;
}

/** Pauses after some records, since reading one costs more than finding it. */
function* withPauses(places: Generator<Place | undefined>): Generator<Place | undefined> {
  let left = SLICE_RECORDS;
  let bytes = 0;
  for (const place of places) {
    yield place;
    if (place === undefined) continue;
    bytes += place.end - place.start;
    if (--left > 0 && bytes < SLICE_BYTES) continue;
    yield undefined;
    left = SLICE_RECORDS;
    bytes = 0;
  }
}

function listOf({ fields }: Message): { name: string; message: Message } {
  const list = fields.find((field) => field?.isList === true);
  if (list?.message === undefined) throw new Error('otlp.json has no list here');
  return { name: list.name, message: list.message };
}
