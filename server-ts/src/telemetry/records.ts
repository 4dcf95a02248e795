/**
 * Walks through a request and gives its records one by one (rules OTL-02 to OTL-04 and OTL-06).
 *
 * Invariant: one record is in memory at a time. Both encodings of a request give the same records.
 */
import { LIMITS } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import { JsonRequest } from './json-request.ts';
import { type Message, messageOf, type Request, type Signal } from './otlp.ts';
import { ProtobufRequest } from './protobuf-request.ts';
import type { Encoded, Group, IsWanted, Place, Record } from './record.ts';

const METRIC = messageOf('Metric');

/** The records of a request that is well-formed. */
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

  /** The groups, of whose resources the attributes that are wanted are kept. */
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
        yield { scope, resource, records: encoded.list(place, scopes.message, records.name) };
      }
    }
  }

  record({ scope, resource }: Group, place: Place): Record {
    return { ...this.encoded.content(place, this.signal), signal: this.signal, scope, resource };
  }

  /** How many data points the metrics of a group have. */
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

/** Whether a record is too large to be read (rule OTL-06). */
export function isTooLarge({ start, end }: Place): boolean {
  return end - start > LIMITS.otlp_record_bytes;
}

function listOf({ fields }: Message): { name: string; message: Message } {
  const list = fields.find((field) => field?.isList === true);
  if (list?.message === undefined) throw new Error('otlp.json has no list here');
  return { name: list.name, message: list.message };
}
