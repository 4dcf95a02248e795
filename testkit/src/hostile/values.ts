/**
 * Texts of JSON values that no agent sends and a hostile client may. They have other types, other spellings, and sizes
 * and depths at the limits.
 *
 * Each text is JSON, unless it is nested deeper than the servers accept.
 */
import LIMITS from '../../../contract/limits.json' with { type: 'json' };

const long = (unit: string, count: number): string => JSON.stringify(unit.repeat(count));
const list = (count: number, item: string): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`;

/** Returns a text nested this deep. */
export function nested(levels: number, open = '[', close = ']', inner = ''): string {
  return open.repeat(levels) + inner + close.repeat(levels);
}

/** Values whose text is short. */
export const SHORT_VALUES: readonly string[] = [
  ...['null', 'true', 'false', '""', '" "', '[]', '{}', '[null]', '[[]]', '[""]', '{"":""}'],
  // Numbers at the limits of integers and doubles, and in other spellings.
  ...[
    '0',
    '-0',
    '-0.0',
    '1.0',
    '1e2',
    '12e-1',
    '-1',
    '-1.5',
    '0.1',
    '1e-400',
    '-1e-400',
    '5e-324',
    '1e400',
    '-1e400',
  ],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740991.4'],
  ...['9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616', '1e21'],
  ...[
    '1000000',
    '1000000.0000000001',
    '123456789012345678901234567890',
    `1${'0'.repeat(400)}`,
    `0.${'0'.repeat(400)}1`,
  ],
  // Numbers as text.
  ...[
    '"7"',
    '"007"',
    '"-1"',
    '"1.0"',
    '"1e2"',
    '"NaN"',
    '"Infinity"',
    '"-Infinity"',
    '"0x10"',
    '" 7 "',
    '"7\\n"',
  ],
  ...[
    '"9007199254740992"',
    '"18446744073709551616"',
    '"-9223372036854775809"',
    `"${'9'.repeat(400)}"`,
    '"\\u0667"',
  ],
  // Times out of range, and other forms of times.
  ...[
    '1771438001231000000',
    '"1771438001231000000"',
    '"253402300800000000000"',
    '253402300800000',
    '-62135596800001',
  ],
  ...[
    '"+275760-09-13T00:00:00.000Z"',
    '"-271821-04-20T00:00:00Z"',
    '"0000-01-01T00:00:00+00:01"',
    '"9999-12-31T23:59:59-00:01"',
  ],
  ...[
    '"2026-02-30T00:00:00Z"',
    '"2026-01-01"',
    '"Thu, 01 Jan 1970 00:00:00 GMT"',
    '"2026-01-01T23:59:60Z"',
    '"1"',
  ],
  // Text that is not well-formed, that a terminal obeys, or that has escapes.
  ...[
    '"\\ud800"',
    '"x\\udc00"',
    '"\\udc00\\ud800"',
    '"\\ud83d\\ude00"',
    '"a\\u0000b"',
    '"\\u0000"',
    '"\\u001b[31m"',
  ],
  ...[
    '"\\u202e\\u0007"',
    '"\\ufeffx"',
    '"\\u00a0\\u2028\\ufeff"',
    '"\\u0041\\/"',
    '"e\\u0301"',
    '"\u00e9\u{1f600}"',
    '"%2f../..\\\\"',
  ],
  // Paths whose end is good, and others.
  ...[
    '"\\ud800/b"',
    '"/a\\u0000/b"',
    '"/a/ p1 "',
    '"//p2//"',
    '"/"',
    '"\\\\"',
    '"C:\\\\u\\\\p1\\\\"',
    '"/a/\\udc00"',
  ],
  // Names of JavaScript's own members, as texts and as keys.
  ...[
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"hasOwnProperty"',
    '"*"',
    '"$each"',
    '"$parent/x"',
    '"a/b~1c~0"',
  ],
  ...[
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"toString":1,"valueOf":null}',
    '{"length":1e9}',
  ],
  ...[
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":{"a":[]}}',
    '{"then":1}',
    '{"toJSON":"x"}',
    '{"\\ud800":1}',
    '{"0":1,"-1":2}',
  ],
  ...[
    '[1,"a",null,{"text":"x"},[{"text":[]}]]',
    '[{"type":"tool_result","tool_use_id":7},{"type":{}},0]',
    '[true,[false]]',
  ],
  // Lengths around the limits of fields.
  ...[
    long('x', 256),
    long('x', 257),
    long('\u00e9', 128),
    `"${'\u00e9'.repeat(128)}a"`,
    long('\u{1f600}', 64),
    long('x', 1025),
  ],
  ...[
    `" ${'x'.repeat(256)} "`,
    long('\\', 300),
    long('/', 300),
    long('"', 300),
    long('\u0001', 300),
    `"${'\\ud800'.repeat(60)}"`,
  ],
];

/** Values that are long or nested deep, each below the largest body. */
export const LONG_VALUES: readonly string[] = [
  long('x', 1 << 20),
  long('\u{1f600}', 1 << 18),
  long('/', 1 << 20),
  long('\u0000', 1 << 17),
  `"${'\\u0000'.repeat(1 << 17)}"`,
  `"${'\\ud800'.repeat(1 << 17)}"`,
  `"${'\\u0041'.repeat(1 << 17)}"`,
  `"${' '.repeat(1 << 20)}"`,
  `1${'0'.repeat(1 << 18)}`,
  `0.${'0'.repeat(1 << 18)}1`,
  list(10_000, '0'),
  list(10_000, '{}'),
  list(10_000, 'null'),
  list(10_000, '{"type":"tool_use","id":"i","text":"t"}'),
  list(1_000, '[[],{"a":[]}]'),
  `{${Array.from({ length: 10_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  `{${Array.from({ length: 10_000 }, () => '"k":0').join(',')}}`,
  ...[100, LIMITS.json_depth - 2, LIMITS.json_depth - 1, LIMITS.json_depth].map((levels) => nested(levels)),
  ...[100, LIMITS.json_depth - 1].map((levels) => nested(levels, '{"a":', '}', '1')),
  nested(60, '[{"text":', '}]', '"x"'),
];
