/**
 * Generates JSON texts of values: valid, unusual and broken ones.
 *
 * It generates texts instead of values, because the spelling is under test: `1.0`, `1e2`, escapes, lone surrogates,
 * repeated keys. Everything depends only on the PRNG seed.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';

const long = (unit: string, count: number): string => JSON.stringify(unit.repeat(count));

const ODD_STRINGS: readonly string[] = [
  '""',
  '" "',
  '"\\t\\n\\r "',
  '"\\u00a0x\\ufeff"',
  '"\\u2003\\u2028x\\u2029"',
  '"\\u180ex"',
  '"\\u0085x\\u0085"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"x\\udc00"',
  '"\\ud83d\\ude00"',
  '"\\udc00\\ud800"',
  '"\u00e9\u{1f600}"',
  '"\\u0041"',
  '"\\/"',
  '"\\x41"',
  '"\u0007"',
  '"a\nb"',
  long('x', 256),
  long('x', 257),
  long('\u00e9', 128),
  `"${'\u00e9'.repeat(128)}a"`,
  long('\u{1f600}', 64),
  `" ${'x'.repeat(256)} "`,
  long('x', 1024),
  long('x', 1025),
];

const ODD_SCALARS: readonly string[] = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[1]',
  '{"a":1}',
  '0',
  '1',
  '"1"',
  'nul',
  'True',
  'undefined',
  "'x'",
  '"x',
];

const NUMBERS: readonly string[] = [
  '0',
  '-0',
  '0.0',
  '-0.0',
  '1',
  '7',
  '42',
  '1.0',
  '1e2',
  '1E+2',
  '12e-1',
  '100e-2',
  '1.5',
  '-1',
  '-1e-400',
  '1e-400',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9007199254740991.4',
  '9007199254740990.5',
  '9.007199254740991e15',
  '1e15',
  '1e16',
  '1e308',
  '1e309',
  '1e400',
  '-1e400',
  '123456789012345678901234567890',
  '0.1',
  '0.3',
  '4.35',
  '1000000',
  '1000000.0',
  '1000000.0000000001',
  '1000000.1',
  '999999.999999999',
  '0.000000001',
  '5e-10',
  '5.0000001e-10',
  '1.5e-9',
  '2.5e-9',
  '1e-10',
  '0.0000000004',
  '123.4567890125',
  '1e21',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  '1e',
  '1e+',
  '--1',
  '1_000',
  'NaN',
  'Infinity',
  '-',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
  `1.${'9'.repeat(100)}`,
];

const TIMESTAMPS: readonly string[] = [
  '2026-02-18T18:06:41.231Z',
  '2026-02-18T18:06:41Z',
  '2026-02-18t18:06:41z',
  '2026-02-18T18:06:41.2319999+01:00',
  '2024-02-29T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2000-02-29T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00-00:00',
  '2026-01-01T00:00:00+23:59',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+00:60',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-00:01',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00,5Z',
  '2026-01-01T00:00:00.1Z',
  '2026-01-01T00:00:00+0100',
  '20260101T000000Z',
  '2026-01-01',
  '+2026-01-01T00:00:00Z',
  '-0001-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z ',
  '2026-1-1T0:0:0Z',
  '\u0662026-01-01T00:00:00Z',
  '1771438001231',
  `2026-01-01T00:00:00.${'1'.repeat(60)}Z`,
  '1969-12-31T23:59:59.9999Z',
  '0001-01-01T00:00:00.0001Z',
  '',
];

const SPACES: readonly string[] = ['', '', '', ' ', '\n', '\t', '\r\n', '  '];

export function oddScalar(random: Random): string {
  return random.pick(random.chance(0.5) ? ODD_SCALARS : random.chance(0.5) ? ODD_STRINGS : NUMBERS);
}

export function text(random: Random, good: readonly string[]): string {
  if (random.chance(0.75)) return JSON.stringify(random.pick(good));
  return random.chance(0.7) ? random.pick(ODD_STRINGS) : oddScalar(random);
}

export function number(random: Random): string {
  return random.chance(0.9) ? random.pick(NUMBERS) : oddScalar(random);
}

export function timestamp(random: Random): string {
  return random.chance(0.9) ? JSON.stringify(random.pick(TIMESTAMPS)) : oddScalar(random);
}

/** Returns a timestamp without quotes, for a query. */
export function timestampText(random: Random): string {
  return random.pick(TIMESTAMPS);
}

/** Returns a valid JSON value with unusual spelling, white space and nesting. */
export function jsonValue(random: Random, depth = 0): string {
  const space = (): string => random.pick(SPACES);
  if (depth > 4 || random.chance(0.4)) {
    const scalars = [
      '0',
      '-0',
      '1.0',
      '1e400',
      '12345678901234567890',
      'true',
      'null',
      '"\\ud800"',
      '"\\u0000"',
      '"\u00e9"',
      '""',
    ];
    return random.pick(scalars);
  }
  const count = random.below(4);
  const items = Array.from({ length: count }, () => {
    const value = `${space()}${jsonValue(random, depth + 1)}${space()}`;
    return random.chance(0.5)
      ? value
      : `${space()}${random.pick(['"a"', '"b"', '"\\u0061"', '""', '"__proto__"', '"1"'])}${space()}:${value}`;
  });
  const isObject = random.chance(0.5);
  const fitting = items.map((item) => (isObject ? withKey(random, item) : withoutKey(item)));
  return isObject ? `{${fitting.join(',') || space()}}` : `[${fitting.join(',') || space()}]`;
}

/** Returns `levels` nested arrays. */
export function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

const KEYED = /^\s*"[^"]*"\s*:/;

function withKey(random: Random, item: string): string {
  return KEYED.test(item) ? item : `${random.pick(['"a"', '"k"', '"command"', '"path"'])}:${item}`;
}

function withoutKey(item: string): string {
  return item.replace(KEYED, '');
}

/** Returns a key, mostly unchanged, rarely with its first character as an escape. */
export function key(random: Random, name: string): string {
  if (random.chance(0.97) || name === '') return `"${name}"`;
  return `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`;
}
