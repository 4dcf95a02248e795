/**
 * Generates random `Accept` headers: formats and aliases, wildcards, weights, other parameters, and syntax errors.
 */
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import FORMATS from '../../../contract/formats.json' with { type: 'json' };

const TYPES: readonly string[] = Object.values(FORMATS.formats).flatMap((format) => format.media_types);

const WILDCARDS = ['*/*', 'application/*', 'text/*', '*', '*/json', 'application/*+json', 'application/x-*'];

const OTHERS = [
  'text/html',
  'application/xml',
  'application/vnd.apache.arrow.file',
  'application/vnd.google.protobuf',
  'application/ndjson',
  'application/msgpack+x',
  'application',
  'application/',
  '/json',
  '',
  ' ',
  '"application/json"',
  'application /json',
  'application/json application/protobuf',
  'application/json=1',
];

const WEIGHTS = [
  '0',
  '0.',
  '0.0',
  '0.000',
  '0.001',
  '0.1',
  '0.5',
  '0.50',
  '0.999',
  '1',
  '1.',
  '1.0',
  '1.000',
  '1.001',
  '0.0000',
  '0.1234',
  '2',
  '-1',
  '.5',
  '00.5',
  '1e0',
  '0,5',
  '',
  'x',
  '"0"',
  '"0.5"',
  ' 0',
  '0 ',
  '0x0',
  '\u0660',
] as const;

const PARAMETERS = [
  'charset=utf-8',
  'version=1',
  'q',
  'quality=0',
  'xq=0',
  'q =0',
  'q= 0',
  'a="x;q=0"',
  'a="x, y"',
  'a="\\""',
  '=0',
  '',
] as const;

/** Returns none, one or two headers. */
export function acceptHeaders(random: Random): Header[] {
  if (random.chance(0.1)) return [];
  const name = random.chance(0.95) ? 'Accept' : random.pick(['accept', 'ACCEPT']);
  const count = random.chance(0.95) ? 1 : 2;
  return Array.from({ length: count }, (): Header => [name, acceptText(random)]);
}

/** Returns the value of one header. */
export function acceptText(random: Random): string {
  // Most clients request one format.
  if (random.chance(0.5)) return random.pick(TYPES);
  const count = random.chance(0.95) ? 1 + random.below(4) : 20 + random.below(60);
  const comma = random.pick([',', ', ', ' , ', ',\t', ',,', ', ,']);
  return Array.from({ length: count }, () => range(random)).join(comma);
}

function range(random: Random): string {
  const roll = random.next();
  const known = random.pick(roll < 0.7 ? TYPES : roll < 0.88 ? WILDCARDS : OTHERS);
  const media = random.chance(0.9) ? known : changedCase(random, known);
  const parts = Array.from({ length: random.pick([0, 0, 0, 1, 1, 1, 2, 3]) }, () => parameter(random));
  const semicolon = random.pick([';', ';', '; ', ' ; ', ';\t', ';;']);
  return [media, ...parts].join(semicolon);
}

function parameter(random: Random): string {
  if (random.chance(0.2)) return random.pick(PARAMETERS);
  return `${random.chance(0.9) ? 'q' : 'Q'}=${random.pick(WEIGHTS)}`;
}

function changedCase(random: Random, text: string): string {
  return text.replace(/[a-z]/g, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter));
}
