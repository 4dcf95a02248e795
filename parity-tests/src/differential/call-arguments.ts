/**
 * Generates arguments of typed calls as JSON texts, by the types of `contract/rpc.json`. It makes valid ones in any
 * spelling, invalid ones, and sequences with one invalid item.
 *
 * It generates texts instead of values, because the spelling is under test.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import { eventText } from './bodies.ts';
import { optionsText } from './call-options.ts';
import { DICTIONARIES, itemOf, type Parameter } from './call-types.ts';
import { jsonValue, key, nested, number, oddScalar, text } from './values.ts';

const LONGS = [
  '0',
  '5',
  '-7',
  '2147483647',
  '-2147483648',
  '2147483648',
  '-2147483649',
  '2147483647.0',
  '2.147483647e9',
  '21474836470e-1',
  '2147483647.5',
  '2147483647.00000001',
  '4294967296',
  '-0',
  '-0.0',
  '1.0',
  '1e3',
  '1E+3',
  '10e-1',
  '15e-1',
] as const;

const DOUBLES = [
  '0.1',
  '-0',
  '-0.0',
  '-0e5',
  '1.0',
  '1e3',
  '1e21',
  '1e-7',
  '0.000001',
  '123456789012345680000',
  '1e23',
  '5e-324',
  '2e-324',
  '3e-324',
  '2.2250738585072011e-308',
  '1.7976931348623157e308',
  '1.7976931348623158e308',
  '1.7976931348623159e308',
  '9007199254740993',
  '-9007199254740992',
  '0.30000000000000004',
  '100000000000000000000000000000000000000001e-20',
] as const;

const STRINGS = [
  '',
  'a',
  'a/b~c',
  '\u00e9',
  '\u{1f600}',
  '\u2028',
  '"',
  '\\',
  '\u0000',
  '\u007f',
  'x'.repeat(40),
];

/** Returns the text of an argument of this type; about one in ten is invalid somewhere. */
export function argumentText(random: Random, parameter: Parameter): string {
  const { type } = parameter;
  if (random.chance(0.04)) return oddScalar(random);
  if (parameter.parameters_of !== undefined) return optionsText(random, parameter.parameters_of);
  const item = itemOf(type);
  return item === undefined ? scalarOrDictionary(random, type) : sequence(random, item);
}

function scalarOrDictionary(random: Random, type: string): string {
  const members = DICTIONARIES[type];
  if (members) return dictionary(random, members);
  switch (type) {
    case 'long':
      if (random.chance(0.5)) return String(random.below(2 ** 32) - 2 ** 31);
      return random.chance(0.9) ? random.pick(LONGS) : number(random);
    case 'double':
      if (random.chance(0.4)) return String(random.next() * 10 ** random.below(30));
      return random.chance(0.9) ? random.pick(DOUBLES) : number(random);
    case 'boolean':
      return random.chance(0.98) ? random.pick(['true', 'false']) : oddScalar(random);
    case 'DOMString':
      if (random.chance(0.6)) return JSON.stringify(random.pick(STRINGS));
      return random.chance(0.7) ? escaped(random) : text(random, STRINGS);
    default:
      return random.chance(0.05)
        ? nested(random.pick([100, 123, 124, 125, 126, 127, 128]))
        : jsonValue(random);
  }
}

/** Returns nested arrays near the depth limit, which may occur at any position in a call. */
function deepValue(random: Random): string {
  return nested(random.pick([1, 100, 121, 122, 123, 124, 125, 126, 127, 128]));
}

/** Returns a string of any characters, each plain or escaped, with surrogates in pairs and alone. */
function escaped(random: Random): string {
  const units = Array.from({ length: random.below(8) }, () => {
    const unit = random.pick([0x22, 0x2f, 0x41, 0x5c, 0x7f, 0, 0x1f, 0xe9, 0x2028, 0xffff, 0xd83d, 0xde00]);
    const short = random.pick(['\\b', '\\f', '\\n', '\\r', '\\t', '\\/', '\\"', '\\\\']);
    if (random.chance(0.2)) return short;
    if (random.chance(0.2)) return '\\ud83d\\ude00';
    if (unit >= 0xd800 && unit < 0xe000 && random.chance(0.9)) return 'x';
    const digits = unit.toString(16).padStart(4, '0');
    return `\\u${random.chance(0.5) ? digits : digits.toUpperCase()}`;
  });
  return `"${units.join('')}"`;
}

/** Returns members in the order of the schema or another order, sometimes too few, too many or repeated. */
function dictionary(random: Random, types: Readonly<Record<string, string>>): string {
  const members = Object.entries(types).map(([name, type]): [string, string] => [
    name,
    random.chance(0.98) ? scalarOrDictionary(random, type) : oddScalar(random),
  ]);
  const roll = random.next();
  if (roll < 0.1) members.reverse();
  else if (roll < 0.13) members.splice(random.below(members.length), 1);
  else if (roll < 0.2)
    members.splice(random.below(members.length + 1), 0, [
      random.pick(['x', '__proto__', 'constructor', 'toString', '', 'str', 'nested']),
      random.chance(0.1) ? deepValue(random) : jsonValue(random),
    ]);
  else if (roll < 0.25) {
    const [name, value] = random.pick(members);
    members.splice(random.below(members.length + 1), 0, [
      name,
      random.chance(0.5) ? value : oddScalar(random),
    ]);
  }
  const space = random.chance(0.1) ? random.pick([' ', '\n', '\t\r\n']) : '';
  const written = members.map(([name, value]) => `${space}${key(random, name)}${space}:${space}${value}`);
  return `{${written.join(',')}${space}}`;
}

/** Returns a few items; rarely some thousands of equal items and one different item. */
function sequence(random: Random, type: string): string {
  const one = (): string => (type === 'any' ? eventText(random) : scalarOrDictionary(random, type));
  const comma = random.chance(0.9) ? ',' : random.pick([', ', ' ,', ',\n']);
  if (random.chance(0.97)) return `[${Array.from({ length: random.below(7) }, one).join(comma)}]`;
  const units = Array.from({ length: 1 + random.below(3) }, one);
  const isShort = units.join('').length < 10;
  const count =
    isShort && random.chance(0.2)
      ? LIMITS.rpc_sequence_items + random.pick([-1, 0, 1])
      : random.pick([999, 1_000, 1_001, 2_000, 4_096, 5_000]);
  const items = Array.from({ length: count }, (_, index) => units[index % units.length]!);
  if (random.chance(0.6)) items[random.below(count)] = random.chance(0.5) ? oddScalar(random) : one();
  return `[${items.join(comma)}]`;
}
