/** Generates Protobuf bodies from fields: every number and wire type, long varints, wrong lengths. */
import { NUMBERED } from '@twin-ingest/testkit/codecs/columns.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import { jsonValue, nested } from './values.ts';

const TEXTS = [
  's1',
  's2',
  'claude',
  'main',
  '',
  ' x ',
  '\ud83d\ude00',
  'a\0b',
  'x'.repeat(256),
  'x'.repeat(257),
];
const ILL_FORMED = ['c328', 'c080', 'eda080', 'e282', 'f4908080', 'ff', '80'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const INTEGERS = [
  0n,
  1n,
  2n,
  5n,
  12n,
  127n,
  128n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
  1_771_438_001_231n,
  253_402_300_800_000n,
];
const DOUBLES = [
  0,
  -0,
  0.1,
  1e-10,
  5e-10,
  1_000_000,
  1_000_000.1,
  -1,
  Number.NaN,
  Infinity,
  -Infinity,
  5e-324,
];
const NUMBERS = [26, 27, 1_000, LIMITS.max_field_number];
const BAD_NUMBERS = [0, LIMITS.max_field_number + 1];

/** Returns one event, or a batch of a few. */
export function protobufBody(random: Random, isBatch: boolean): Buffer {
  const parts = isBatch
    ? Array.from({ length: random.below(5) }, () =>
        random.chance(0.95) ? bytesField(random, 1, event(random)) : anyField(random),
      )
    : [event(random)];
  const body = Buffer.concat(parts);
  return random.chance(0.05) ? body.subarray(0, random.below(body.length + 1)) : body;
}

function event(random: Random): Buffer {
  const fields = [
    bytesField(random, 1, Buffer.from('s1')),
    bytesField(random, 2, Buffer.from('claude')),
    Buffer.concat([tag(random, 3, 0), varint(random, 1n)]),
  ].filter(() => random.chance(0.97));
  for (let count = random.below(6); count > 0; count -= 1)
    fields.push(random.chance(0.9) ? knownField(random) : anyField(random));
  return Buffer.concat(fields);
}

/** Returns a field of the contract with its own wire type and a value that may break its rules. */
function knownField(random: Random): Buffer {
  const { number, kind } = random.pick(NUMBERED);
  if (kind === 'text') return bytesField(random, number, text(random));
  if (kind === 'json') return bytesField(random, number, metadata(random));
  if (kind !== 'dollars')
    return Buffer.concat([tag(random, number, 0), varint(random, random.pick(INTEGERS))]);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(random.pick(DOUBLES));
  return Buffer.concat([tag(random, number, 1), bytes]);
}

/** Returns a field with any number and any wire type. */
function anyField(random: Random): Buffer {
  const roll = random.next();
  const number = random.pick(
    roll < 0.7 ? NUMBERS : roll < 0.95 ? NUMBERED.map((one) => one.number) : BAD_NUMBERS,
  );
  const wireType = random.chance(0.9) ? random.pick([0, 1, 2, 5]) : random.pick([3, 4, 6, 7]);
  if (wireType === 0) return Buffer.concat([tag(random, number, 0), varint(random, random.pick(INTEGERS))]);
  if (wireType === 2) return bytesField(random, number, text(random));
  return Buffer.concat([
    tag(random, number, wireType),
    Buffer.alloc(wireType === 1 ? 8 : wireType === 5 ? 4 : 0, 7),
  ]);
}

function text(random: Random): Buffer {
  return random.chance(0.96) ? Buffer.from(random.pick(TEXTS)) : random.pick(ILL_FORMED);
}

function metadata(random: Random): Buffer {
  const roll = random.next();
  if (roll < 0.5) return Buffer.from(jsonValue(random));
  if (roll < 0.6) return Buffer.from(nested(random.pick([1, 126, 127, 128, 129, 1_000])));
  if (roll < 0.7) return random.pick(ILL_FORMED);
  return Buffer.from(random.pick(['', ' ', 'null', '{', '{}{}', '\ufeff{}', ' 1 ', '\n[ 1.0 ]\t', 'nul']));
}

/** Returns a field with a length, which is rarely wrong. */
function bytesField(random: Random, number: number, content: Buffer): Buffer {
  const roll = random.next();
  const length =
    roll < 0.99
      ? BigInt(content.length)
      : random.pick([BigInt(content.length + 1), 2n ** 32n - 1n, 2n ** 64n - 1n]);
  return Buffer.concat([tag(random, number, 2), varint(random, length), content]);
}

function tag(random: Random, number: number, wireType: number): Buffer {
  return varint(random, (BigInt(number) << 3n) | BigInt(wireType));
}

/** Returns a varint, rarely longer than needed, or longer than a varint may be. */
function varint(random: Random, value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  do {
    bytes.push(Number(left & 0x7fn));
    left >>= 7n;
  } while (left > 0n);
  const roll = random.next();
  if (roll < 0.02) while (bytes.length < 5 + random.below(6)) bytes.push(0);
  else if (roll < 0.023) while (bytes.length < 11) bytes.push(1);
  return Buffer.from(bytes.map((byte, index) => (index < bytes.length - 1 ? byte | 0x80 : byte)));
}
