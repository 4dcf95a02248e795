/**
 * Reads an OTLP request in JSON (rule OTL-02).
 *
 * Invariant: the reader builds no tree of the body; only a record and a resource become small trees.
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import { INVALID, OPEN_ARRAY, OPEN_OBJECT, skipSpace } from '../scanner.ts';
import { decodeToken } from '../text.ts';
import { children, skipInSlices } from './json-scan.ts';
import type { Message, Signal } from './otlp.ts';
import type { Attributes, Content, Encoded, IsWanted, Place } from './record.ts';
import { arrayJson, doubleJson, idText, int64Json, objectJson, textJson, timeText } from './values.ts';

/** The containers around a record: the request, resources, scopes, and their lists. */
const LEVELS = 6;
/** The first byte of `null`. */
const NULL = 0x6e;
/** Doubles that JSON has no number for. */
const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

type Tree = Readonly<Record<string, unknown>>;

/** A body in JSON. */
export class JsonRequest implements Encoded {
  private readonly body: Buffer;
  /** The members of the object that was read last. */
  private last: { start: number; members: ReadonlyMap<string, Place> } | undefined;

  constructor(body: Buffer) {
    this.body = body;
  }

  *check(): Generator<undefined, void> {
    const { body } = this;
    if (!isUtf8(body)) throw new Failure('invalid_json');
    const start = skipSpace(body, 0);
    const end = yield* skipInSlices(body, start, LIMITS.json_depth, LEVELS);
    if (end === INVALID || skipSpace(body, end) !== body.length) throw new Failure('invalid_json');
    if (body[start] !== OPEN_OBJECT) throw new Failure('invalid_otlp');
  }

  root(): Place {
    const { body } = this;
    return { start: skipSpace(body, 0), end: body.length, levels: LEVELS };
  }

  *list(parent: Place, _message: Message, name: string): Generator<Place | undefined, void> {
    const place = yield* this.member(parent, name);
    if (place === undefined) return;
    const { body } = this;
    if (body[place.start] !== OPEN_ARRAY) throw new Failure('invalid_otlp');
    for (const item of children(body, place.start, LIMITS.json_depth, place.levels ?? 0)) {
      if (item !== undefined && body[item.start] !== OPEN_OBJECT) throw new Failure('invalid_otlp');
      yield item;
    }
  }

  *one(parent: Place, _message: Message, name: string): Generator<undefined, Place | undefined> {
    const place = yield* this.member(parent, name);
    return place !== undefined && this.body[place.start] === OPEN_OBJECT ? place : undefined;
  }

  resource(place: Place | undefined, isWanted: IsWanted): Attributes {
    return attributesOf(this.tree(place).attributes, isWanted);
  }

  scope(place: Place | undefined): string {
    return textOf(this.tree(place).name);
  }

  content(place: Place, signal: Signal): Content {
    const tree = this.tree(place);
    const { status } = tree;
    const isSpan = signal === 'spans';
    return {
      attributes: attributesOf(tree.attributes),
      name: textOf(isSpan ? tree.name : tree.eventName),
      body: isSpan ? undefined : valueJson(tree.body),
      times: isSpan
        ? [timeText(tree.startTimeUnixNano), timeText(tree.endTimeUnixNano)]
        : [timeText(tree.timeUnixNano), timeText(tree.observedTimeUnixNano)],
      traceId: idText(tree.traceId, 16),
      spanId: idText(tree.spanId, 8),
      parentSpanId: isSpan ? idText(tree.parentSpanId, 8) : undefined,
      hasFailed: isSpan && isTree(status) && status.code === 2,
    };
  }

  /** Returns the last value of a member; `null` counts as absent. */
  private *member({ start, levels = 0 }: Place, name: string): Generator<undefined, Place | undefined> {
    const { body } = this;
    if (this.last?.start !== start) {
      const members = new Map<string, Place>();
      for (const child of children(body, start, LIMITS.json_depth, levels)) {
        if (child === undefined) yield undefined;
        else members.set(decodeToken(body, child.keyStart, child.keyEnd), child);
      }
      this.last = { start, members };
    }
    const place = this.last.members.get(name);
    return place === undefined || body[place.start] === NULL ? undefined : place;
  }

  private tree(place: Place | undefined): Tree {
    return place === undefined
      ? {}
      : (JSON.parse(this.body.toString('utf8', place.start, place.end)) as Tree);
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a well-formed text; empty for any other value. */
function textOf(value: unknown): string {
  return typeof value === 'string' && textJson(value) !== undefined ? value : '';
}

/** Returns the attributes of a list of `KeyValue`. */
function attributesOf(list: unknown, isWanted: IsWanted = () => true): Attributes {
  const attributes = new Map<string, string>();
  for (const item of itemsOf(list)) {
    const key = isTree(item) ? textOf(item.key) : '';
    const json = isTree(item) ? valueJson(item.value) : undefined;
    if (key !== '' && json !== undefined && isWanted(key, json)) attributes.set(key, json);
  }
  return attributes;
}

/** Returns the JSON text of an `AnyValue`: that of its first present value, in the order of `otlp.json`. */
function valueJson(value: unknown): string | undefined {
  if (!isTree(value)) return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  return (
    (typeof stringValue === 'string' ? textJson(stringValue) : undefined) ??
    (typeof boolValue === 'boolean' ? String(boolValue) : undefined) ??
    int64Json(intValue) ??
    (typeof doubleValue === 'number' ? doubleJson(doubleValue) : undefined) ??
    (NOT_FINITE.has(doubleValue) ? 'null' : undefined) ??
    (isTree(arrayValue) ? arrayJson(itemsOf(arrayValue.values).map(valueJson)) : undefined) ??
    (isTree(kvlistValue) ? objectJson(attributesOf(kvlistValue.values)) : undefined) ??
    (typeof bytesValue === 'string' ? textJson(bytesValue) : undefined)
  );
}

/** Returns the items of a list; none for any other value. */
function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? (list as unknown[]) : [];
}
