/** Makes hostile values of attributes of OTLP, as JSON texts and as messages of Protobuf. */
import { nested } from '@twin-ingest/testkit/hostile/values.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Members } from '../otlp-values.ts';

/** Returns an `AnyValue` with a text in one of its members. */
export function anyValueText(random: Random, text: string): string {
  const forms = [
    text,
    `{"boolValue":${text}}`,
    `{"bytesValue":${text}}`,
    `{"arrayValue":${text}}`,
    `{"kvlistValue":${text}}`,
    `{"arrayValue":{"values":${text}}}`,
    `{"kvlistValue":{"values":${text}}}`,
    `{"arrayValue":{"values":[{"stringValue":${text}},{"intValue":${text}},{}]}}`,
    `{"kvlistValue":{"values":[{"key":${text},"value":{"intValue":1}},{"key":"a","value":{"doubleValue":${text}}},{"key":"a","value":{"boolValue":true}}]}}`,
    `{"stringValue":${text},"intValue":7,"doubleValue":0.5}`,
    `{"intValue":${text},"stringValue":null,"boolValue":false}`,
    `{"stringValue":"x","stringValue":${text}}`,
    nested(random.pick([10, 30, 40, 42]), '{"arrayValue":{"values":[', ']}}', `{"stringValue":${text}}`),
    nested(
      random.pick([10, 25, 31]),
      '{"kvlistValue":{"values":[{"key":"k","value":',
      '}]}}',
      `{"intValue":${text}}`,
    ),
  ];
  return random.chance(0.6) ? usualValueText(random, text) : random.pick(forms);
}

/** Returns an `AnyValue` with a text in a member that fields are read from. */
export function usualValueText(random: Random, text: string): string {
  return `{"${random.pick(['stringValue', 'stringValue', 'intValue', 'doubleValue'])}":${text}}`;
}

const ODD_TEXTS = [
  '',
  ' ',
  'a\0b',
  '\u001b[31m',
  '7',
  '1e2',
  '__proto__',
  'constructor',
  '\u2028\ufeff',
  '*',
];

/** Returns a key that Protobuf can hold. */
export function oddKey(random: Random): string {
  return random.pick([...ODD_TEXTS, 'session.id', 'x'.repeat(5_000)]);
}

/** Returns an `AnyValue` that Protobuf can hold. */
export function protobufValue(random: Random): Members {
  const text = { stringValue: random.pick([...ODD_TEXTS, 'x'.repeat(257), 'x'.repeat(4_097)]) };
  // Deeper messages fail the whole request.
  const levels = random.pick(random.chance(0.03) ? [60, 62, 63, 100] : [5, 20, 40]);
  const values: readonly (() => Members)[] = [
    () => text,
    () => ({ stringValue: 'x'.repeat(random.pick([1 << 10, 1 << 18])) }),
    () => ({ intValue: random.pick(['9007199254740991', '9007199254740992', '9223372036854775807']) }),
    () => ({ intValue: random.pick(['-9223372036854775808', '-1', '0']) }),
    () => ({ doubleValue: random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) }),
    () => ({ doubleValue: random.pick([-0, 3, 5e-324, 2 ** 53, 2 ** 53 + 2, 1e21, 0.1, -1.5, 1e308]) }),
    () => ({ boolValue: random.chance(0.5) }),
    () => ({ bytesValue: Buffer.alloc(random.pick([0, 1, 5_000]), 7).toString('base64') }),
    () => ({ arrayValue: { values: Array.from({ length: 10_000 }, () => ({ intValue: '1' })) } }),
    () => ({ arrayValue: { values: [text, {}, { doubleValue: 1 }] } }),
    () => ({ kvlistValue: { values: ODD_TEXTS.map((key) => ({ key, value: text })) } }),
    () => ({ kvlistValue: { values: [{ key: 'a' }, { key: 'a', value: text }, { value: text }] } }),
    () => ({}),
    () => ({ ...text, intValue: '7', arrayValue: { values: [] } }),
    () => nestedValue(levels, text, (inner) => ({ arrayValue: { values: [inner] } })),
    () => nestedValue(levels / 2, text, (value) => ({ kvlistValue: { values: [{ key: 'k', value }] } })),
  ];
  return random.pick(values)();
}

function nestedValue(levels: number, inner: Members, around: (inner: Members) => Members): Members {
  return Array.from({ length: levels }).reduce<Members>(around, inner);
}
