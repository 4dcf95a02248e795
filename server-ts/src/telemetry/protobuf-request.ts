/**
 * Reads an OTLP request in Protobuf (rule OTL-03).
 *
 * Invariant: the body is checked to its last byte before a record is read. Of equal fields the last counts, as for
 * members in JSON.
 */
import { Walker } from '../formats/protobuf-check.ts';
import { fieldOf, type Message, messageOf, type OtlpField, type Signal } from './otlp.ts';
import { checkMessage } from './otlp-check.ts';
import type { Attributes, Content, Encoded, IsWanted, Place } from './record.ts';
import { arrayJson, doubleJson, idText, objectJson, textJson, timeText } from './values.ts';

const [RESOURCE, SCOPE, LOG, SPAN] = ['Resource', 'Scope', 'LogRecord', 'Span'].map(messageOf) as [
  Message,
  Message,
  Message,
  Message,
];
const [STATUS, KEY_VALUE, ANY_VALUE] = ['SpanStatus', 'KeyValue', 'AnyValue'].map(messageOf) as [
  Message,
  Message,
  Message,
];
const [ARRAY, MAP] = ['ArrayValue', 'KeyValueList'].map(messageOf) as [Message, Message];

/** A list pauses after this many fields; other requests run in between. */
const SLICE_FIELDS = 10_000;

/** The last value of each field by its name; list fields are under `lists`. */
interface Fields {
  readonly last: ReadonlyMap<string, Place>;
  readonly lists: ReadonlyMap<string, readonly Place[]>;
}

/** A body in Protobuf. */
export class ProtobufRequest implements Encoded {
  private readonly body: Buffer;

  constructor(body: Buffer) {
    this.body = body;
  }

  *check(message: Message): Generator<undefined, void> {
    for (const _pause of checkMessage(this.body, message)) yield undefined;
  }

  root(): Place {
    return { start: 0, end: this.body.length };
  }

  *list(parent: Place, message: Message, name: string): Generator<Place | undefined, void> {
    let fields = 0;
    for (const [field, place] of fieldsIn(this.body, parent, message)) {
      if (field.name === name) yield place;
      if (++fields % SLICE_FIELDS === 0) yield undefined;
    }
  }

  *one(parent: Place, message: Message, name: string): Generator<undefined, Place | undefined> {
    let last: Place | undefined;
    for (const place of this.list(parent, message, name)) {
      if (place === undefined) yield undefined;
      else last = place;
    }
    return last;
  }

  resource(place: Place | undefined, isWanted: IsWanted): Attributes {
    if (place === undefined) return new Map();
    return this.attributes(this.read(place, RESOURCE), 'attributes', isWanted);
  }

  scope(place: Place | undefined): string {
    return place === undefined ? '' : this.text(this.read(place, SCOPE), 'name');
  }

  content(place: Place, signal: Signal): Content {
    const isSpan = signal === 'spans';
    const fields = this.read(place, isSpan ? SPAN : LOG);
    const body = isSpan ? undefined : fields.last.get('body');
    return {
      attributes: this.attributes(fields, 'attributes'),
      name: this.text(fields, isSpan ? 'name' : 'eventName'),
      body: body && this.value(body),
      times: isSpan
        ? [this.time(fields, 'startTimeUnixNano'), this.time(fields, 'endTimeUnixNano')]
        : [this.time(fields, 'timeUnixNano'), this.time(fields, 'observedTimeUnixNano')],
      traceId: this.id(fields, 'traceId', 16),
      spanId: this.id(fields, 'spanId', 8),
      parentSpanId: this.id(fields, 'parentSpanId', 8),
      hasFailed: this.hasFailed(fields.last.get('status')),
    };
  }

  private read(place: Place, message: Message): Fields {
    const last = new Map<string, Place>();
    const lists = new Map<string, Place[]>();
    for (const [{ name, isList }, value] of fieldsIn(this.body, place, message)) {
      const list = lists.get(name);
      if (!isList) last.set(name, value);
      else if (list === undefined) lists.set(name, [value]);
      else list.push(value);
    }
    return { last, lists };
  }

  /** Returns a well-formed text; empty for any other value. */
  private text({ last }: Fields, name: string): string {
    const place = last.get(name);
    const text = place === undefined ? '' : this.body.toString('utf8', place.start, place.end);
    return textJson(text) === undefined ? '' : text;
  }

  private time({ last }: Fields, name: string): string | undefined {
    const place = last.get(name);
    return place && timeText(String(this.body.readBigUInt64LE(place.start)));
  }

  private id({ last }: Fields, name: string, bytes: number): string | undefined {
    const place = last.get(name);
    return place && idText(this.body.toString('hex', place.start, place.end), bytes);
  }

  private hasFailed(place: Place | undefined): boolean {
    const code = place && this.read(place, STATUS).last.get('code');
    return code !== undefined && this.varint(code) === 2n;
  }

  private attributes({ lists }: Fields, name: string, isWanted: IsWanted = () => true): Attributes {
    const attributes = new Map<string, string>();
    for (const place of lists.get(name) ?? []) {
      const item = this.read(place, KEY_VALUE);
      const key = this.text(item, 'key');
      const value = item.last.get('value');
      const json = value && this.value(value);
      if (key !== '' && json !== undefined && isWanted(key, json)) attributes.set(key, json);
    }
    return attributes;
  }

  /** Returns the JSON text of an `AnyValue`: that of its first present value, in the order of `otlp.json`. */
  private value(place: Place): string | undefined {
    const { last } = this.read(place, ANY_VALUE);
    for (const field of ANY_VALUE.fields) {
      const value = field && last.get(field.name);
      const json = value && this.valueJson(field.name, value);
      if (json !== undefined) return json;
    }
    return undefined;
  }

  private valueJson(name: string, place: Place): string | undefined {
    const { body } = this;
    const { start, end } = place;
    switch (name) {
      case 'stringValue':
        return textJson(body.toString('utf8', start, end));
      case 'boolValue':
        return String(this.varint(place) !== 0n);
      case 'intValue':
        return String(BigInt.asIntN(64, this.varint(place)));
      case 'doubleValue':
        return doubleJson(body.readDoubleLE(start));
      case 'arrayValue': {
        const items = this.read(place, ARRAY).lists.get('values') ?? [];
        return arrayJson(items.map((item) => this.value(item)));
      }
      case 'kvlistValue':
        return objectJson(this.attributes(this.read(place, MAP), 'values'));
      default:
        return textJson(body.toString('base64', start, end));
    }
  }

  private varint({ start, end }: Place): bigint {
    let value = 0n;
    for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt(this.body[at]! & 0x7f);
    return BigInt.asUintN(64, value);
  }
}

/** Returns the known fields of a checked message. */
function* fieldsIn(body: Buffer, { start, end }: Place, message: Message): Generator<[OtlpField, Place]> {
  const walker = new Walker(body);
  walker.at = start;
  while (walker.at < end) {
    const field = fieldOf(message, walker.tag(end, message.fields));
    const valueEnd = walker.value(end);
    if (field !== undefined) yield [field, { start: walker.at, end: valueEnd }];
    walker.at = valueEnd;
  }
}
