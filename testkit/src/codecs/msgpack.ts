/**
 * Encodes and decodes MessagePack with msgpackr.
 *
 * Invariant: keys are plain text. Maps decode to maps, so that `__proto__` is data.
 */
import { Packr, Unpackr } from 'msgpackr';
import type { TextEvent } from './json.ts';

const PACKR = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });
const UNPACKR = new Unpackr({ useRecords: false, mapsAsObjects: false });
/** From this value on, msgpackr writes a whole number as a float. */
const LEAST_FLOAT = 2 ** 32;

/** Encodes any JSON value as MessagePack; whole numbers are integers. */
export function encodeMsgpack(value: unknown): Buffer {
  return Buffer.from(PACKR.pack(packable(value)));
}

export function msgpackBatch(events: readonly TextEvent[]): Buffer {
  return encodeMsgpack({ events });
}

/** Decodes to a JSON value: maps become objects with their keys in order, integers become numbers. */
export function decodeMsgpack(body: Buffer): unknown {
  return plain(UNPACKR.unpack(body));
}

function packable(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) >= LEAST_FLOAT)
    return BigInt(value);
  if (Array.isArray(value)) return value.map(packable);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, packable(item)]),
  );
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (BigInt(number) !== value) throw new Error(`${value} is no number of JSON`);
    return number;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const object = {};
  for (const [key, item] of value)
    Object.defineProperty(object, String(key), { value: plain(item), enumerable: true });
  return object;
}
