/**
 * Generates random events from a PRNG seed that every format can carry: all fields, non-ASCII text, numbers at their
 * limits.
 *
 * Invariants: metadata has no line feed, which NDJSON cannot carry. Times are whole milliseconds, since Protobuf has no
 * finer ones.
 */
import type { TextEvent } from '@twin-ingest/testkit/codecs/codecs.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import FIELDS from '../../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../../contract/vocabulary.json' with { type: 'json' };
import { jsonValue } from '../../src/differential/values.ts';

interface Spec {
  readonly kind: string;
  readonly required?: boolean;
  readonly bytes?: number;
  readonly values?: string;
}

const SPECS: readonly (readonly [string, Spec])[] = Object.entries(FIELDS.fields);
const WORDS = VOCABULARY as unknown as Readonly<Record<string, readonly string[]>>;

const INTEGERS = [
  0,
  1,
  127,
  128,
  255,
  256,
  65_535,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  LIMITS.max_integer,
];
const DOLLARS = [
  0,
  1e-9,
  0.1,
  0.25,
  4.35,
  1 / 3,
  123.456_789_012_5,
  999_999.999_999_999,
  LIMITS.max_cost_usd,
];
const TIMES = [
  '0000-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
  '2026-02-18T18:06:41.231+05:30',
  '2024-02-29T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
];
const TEXTS = [
  'a',
  ' a ',
  'é',
  '\u{1f600}',
  '\ufeffa',
  'a\ufeff',
  'a\u2028b',
  'a"b\\c/d',
  'tab\tand \u0001',
  '日本語',
];

export function seededEvents(seed: number, count: number): TextEvent[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const entries = SPECS.filter(([, { required }]) => required === true || random.chance(0.6)).map(
      ([name, spec]) =>
        [name, name === 'event_id' ? eventId(random, index) : fieldValue(random, spec)] as const,
    );
    return Object.fromEntries(entries) as TextEvent;
  });
}

function fieldValue(random: Random, { kind, bytes, values }: Spec): unknown {
  switch (kind) {
    case 'text':
      return random.chance(0.05) ? longest(random, bytes!) : random.pick(TEXTS);
    case 'choice':
      return random.pick(WORDS[values!]!);
    case 'dollars':
      return random.pick(DOLLARS);
    case 'timestamp':
      return random.pick(TIMES);
    case 'json':
      return metadata(random);
    default:
      return random.pick(INTEGERS);
  }
}

/** Returns a text of a field's largest size. */
function longest(random: Random, bytes: number): string {
  const unit = random.pick(['x', 'é', '\u{1f600}']);
  return unit.repeat(bytes / Buffer.byteLength(unit));
}

/** Returns a UUID in any case, or another text; no two are equal. */
function eventId(random: Random, index: number): string {
  const digits = index.toString(16).padStart(12, '0');
  const id = `0b6f9c3e-aa1b-4c0d-8e2f-${digits}`;
  return random.pick([id, id.toUpperCase(), `é-${index}`, `${index}`]);
}

/** Returns JSON text of any spelling; sometimes longer than the limit. */
function metadata(random: Random): string {
  if (random.chance(0.01)) return JSON.stringify({ command: 'é'.repeat(4_000), text: 'x'.repeat(8_000) });
  return jsonValue(random).replaceAll(/[\r\n]/g, ' ');
}
