/** Generates MessagePack bodies from markers: every type, every long form, and forms that the format forbids. */
import type { Random } from '@twin-ingest/testkit/random.ts';
import CONTRACT from '../../../contract/fields.json' with { type: 'json' };
import { jsonValue, nested, timestampText } from './values.ts';

const NAMES = Object.keys(CONTRACT.fields);
const TIMES = Object.entries(CONTRACT.fields).flatMap(([name, { kind }]) =>
  kind === 'timestamp' ? [name] : [],
);
const TEXTS = [
  's1',
  's2',
  'claude',
  'tool_use',
  'error',
  'success',
  'hook',
  'main',
  '',
  ' x ',
  '\ud83d\ude00',
  'a\0b',
];
/** Bytes that are not UTF-8: overlong, a surrogate, half a character, above U+10FFFF, a byte that never occurs. */
const ILL_FORMED = ['c328', 'c080', 'eda080', 'e282', 'f4908080', 'ff', '80'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
/** Whole numbers at the limits of their types, as markers with their bytes. */
const INTEGERS = [
  '00',
  '7f',
  'ff',
  'e0',
  'cc00',
  'ccff',
  'cdffff',
  'ceffffffff',
  'cf0000000000000000',
  'cf001fffffffffffff',
  'cf0020000000000000',
  'cfffffffffffffffff',
  'd07f',
  'd080',
  'd17fff',
  'd2ffffffff',
  'd3001fffffffffffff',
  'd38000000000000000',
];
const FLOATS = [
  'ca00000000',
  'ca80000000',
  'ca3f800000',
  'ca3dcccccd',
  'ca7fc00000',
  'caff800000',
  'cb0000000000000000',
  'cb8000000000000000',
  'cb3ff0000000000000',
  'cb3fb999999999999a',
  'cb412e848000000000',
  'cb433fffffffffffff',
  'cb4340000000000000',
  'cb0000000000000001',
  'cb7fefffffffffffff',
  'cb7ff0000000000000',
  'cb7ff8000000000001',
  'cbc000000000000000',
];
const FORBIDDEN = [
  'c1',
  'c400',
  'c403010203',
  'c50001aa',
  'c6ffffffff61',
  'd40005',
  'd6ff00000000',
  'c70105aa',
  'c8000105',
];

/** Returns one event, or a batch of a few. */
export function msgpackBody(random: Random, isBatch: boolean): Buffer {
  if (random.chance(0.02)) return value(random, 0);
  const body = isBatch ? batch(random) : event(random);
  const roll = random.next();
  if (roll < 0.03) return Buffer.concat([body, random.pick([Buffer.from([0xc0]), body, Buffer.from('\n')])]);
  if (roll < 0.06) return body.subarray(0, random.below(body.length));
  return body;
}

function batch(random: Random): Buffer {
  const events = Array.from({ length: random.below(5) }, () => event(random));
  const members = [text('events'), collection(random, 0x90, events.length, events)];
  const other = [text(random.pick(['x', 'events'])), value(random, 0)];
  const roll = random.next();
  const all = roll < 0.9 ? [members] : roll < 0.95 ? [members, other] : [other, members];
  return collection(random, 0x80, all.length, all.flat());
}

function event(random: Random): Buffer {
  if (random.chance(0.02)) return value(random, 0);
  const members: Buffer[][] = [
    [text('session_id', random), textValue(random, 's1')],
    [text('agent_type', random), textValue(random, 'claude')],
    [text('event_type', random), textValue(random, 'tool_use')],
  ];
  for (let count = random.below(5); count > 0; count -= 1) {
    const name = random.chance(0.9) ? random.pick(NAMES) : random.pick(['x', '__proto__', '', 'id']);
    members.push([key(random, name), fieldValue(random, name)]);
  }
  return collection(random, 0x80, members.length, members.flat());
}

function fieldValue(random: Random, name: string): Buffer {
  if (random.chance(0.25)) return value(random, 0);
  if (name === 'metadata') return metadata(random);
  if (TIMES.includes(name)) return text(timestampText(random), random);
  if (/tokens|duration/.test(name)) return hex(random.pick(INTEGERS));
  return name === 'cost_usd' ? hex(random.pick(FLOATS)) : textValue(random, 'x');
}

function metadata(random: Random): Buffer {
  const roll = random.next();
  if (roll < 0.3) return text(jsonValue(random), random);
  if (roll < 0.4) return text(nested(random.pick([1, 126, 127, 128, 129])), random);
  if (roll < 0.5) return deep(random);
  return value(random, 0);
}

/** Returns nested arrays and maps near the depth limit. */
export function deep(random: Random): Buffer {
  const unit = random.pick(['91', '81a161']);
  return hex(
    unit.repeat(random.pick([100, 124, 125, 126, 127, 128, 129, 1_000])) +
      random.pick(['c0', '90', '', 'c1']),
  );
}

/** Returns any value. Arrays and maps nest a few levels. */
export function value(random: Random, depth: number): Buffer {
  const roll = random.next();
  if (roll < 0.04) return hex(random.pick(FORBIDDEN));
  if (roll < 0.25) return hex(random.pick(INTEGERS));
  if (roll < 0.4) return hex(random.pick(FLOATS));
  if (roll < 0.5) return hex(random.pick(['c0', 'c2', 'c3']));
  if (roll < 0.7 || depth > 3) return textValue(random, random.pick(TEXTS));
  const items = Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  if (roll < 0.85) return collection(random, 0x90, items.length, items);
  const members = items.flatMap((item) => [
    key(random, random.pick(['a', 'b', '\u00e9', '1', '__proto__'])),
    item,
  ]);
  return collection(random, 0x80, items.length, members);
}

/** Returns a key, rarely of another type. */
function key(random: Random, name: string): Buffer {
  return random.chance(0.98) ? text(name, random) : value(random, 3);
}

export function textValue(random: Random, good: string): Buffer {
  if (random.chance(0.02)) return string(random, random.pick(ILL_FORMED));
  return text(random.chance(0.7) ? good : random.pick(TEXTS), random);
}

/** Returns a string in its shortest form; with `random` in any sufficient form. */
export function text(content: string, random?: Random): Buffer {
  return string(random, Buffer.from(content));
}

function string(random: Random | undefined, bytes: Buffer): Buffer {
  const { length } = bytes;
  const forms = [
    ...(length < 32 ? [[0xa0 | length]] : []),
    ...(length < 0x100 ? [[0xd9, length]] : []),
    ...(length < 0x1_0000 ? [[0xda, length >> 8, length & 0xff]] : []),
    [0xdb, 0, length >> 16, (length >> 8) & 0xff, length & 0xff],
  ];
  return Buffer.concat([Buffer.from(random?.chance(0.2) ? random.pick(forms) : forms[0]!), bytes]);
}

/** Returns an array (`0x90`) or a map (`0x80`), rarely with a wrong count. */
export function collection(random: Random, marker: number, length: number, items: readonly Buffer[]): Buffer {
  const count = random.chance(0.98) ? length : length + random.pick([-1, 1, 5, 1_000]);
  const least = Math.max(0, count);
  const long = marker === 0x90 ? 0xdc : 0xde;
  const forms = [
    ...(least < 16 ? [[marker | least]] : []),
    [long, least >> 8, least & 0xff],
    [long + 1, 0, 0, least >> 8, least & 0xff],
  ];
  return Buffer.concat([Buffer.from(random.chance(0.85) ? forms[0]! : random.pick(forms)), ...items]);
}

export function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}
