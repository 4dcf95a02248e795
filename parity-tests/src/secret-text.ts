/**
 * Makes random JSON text and random bytes that hold secrets, for `redact-random`.
 *
 * Each secret contains `SECRET`, and no other text does. So a byte sequence without `SECRET` holds none of them.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';

/** A part of every secret. */
export const SECRET = 'Zq7xZq7xZq';

/** The file of keys and patterns that covers every secret. */
export const RULES = {
  keys: ['password', 'X-Api-Key', 'contraseña'],
  patterns: [
    { prefix: 'sk-', class: 'base64url', minimum: 10 },
    { prefix: 'Bearer ', class: 'token68', minimum: 10 },
    { prefix: 'a!b', class: 'alphanumeric', minimum: 8 },
    { prefix: '/"', class: 'graphic', minimum: 9 },
  ],
};

/** Text that looks like a part of a secret, or needs escapes. */
const OTHERS = [
  'sk-',
  'Bearer ',
  'a!b',
  '/"',
  'é',
  '😀',
  '\n',
  '\\',
  '"',
  'passwords',
  ' ',
  '[redacted]',
  '-_',
];

/** Returns a text with secrets in it, often. */
export function secretText(random: Random): string {
  const parts = Array.from({ length: random.below(5) }, () =>
    random.chance(0.4) ? secret(random) : random.pick(OTHERS),
  );
  return parts.join(random.pick(['', ' ', '.', '!']));
}

function secret(random: Random): string {
  const { prefix } = random.pick(RULES.patterns);
  return `${prefix}${'0123456789'.slice(0, random.below(10))}${SECRET}${'ab12'.slice(0, random.below(4))}`;
}

/** Returns the JSON text of a random value. */
export function secretJson(random: Random, depth = 4): string {
  const kind = random.below(depth > 0 ? 6 : 3);
  if (kind === 0) return random.pick(['0', '-1.50e+2', 'true', 'null', '""', '12345678901234567890']);
  if (kind <= 2) return spelled(random, secretText(random));
  const space = random.pick(['', ' ', ' \t']);
  const items = Array.from({ length: random.below(5) }, () => {
    if (kind === 3) return secretJson(random, depth - 1);
    return random.chance(0.3) ? keyMember(random, space) : otherMember(random, space, depth);
  });
  const text = items.join(`${space},${space}`);
  return kind === 3 ? `[${space}${text}${space}]` : `{${space}${text}${space}}`;
}

/** Returns a member whose name is a key, in some spelling. */
function keyMember(random: Random, space: string): string {
  const key = random.pick(RULES.keys);
  // Only ASCII letters have a case (rule RED-03).
  const name = random.chance(0.5) ? key : key.replace(/[a-z]/gi, (one) => anyCase(random, one));
  const value = random.pick([
    `"${SECRET}"`,
    `{"a":["${SECRET}",{"password":1}]}`,
    `["x\\n${SECRET}"]`,
    '5',
    'null',
  ]);
  return `${spelled(random, name)}${space}:${value}`;
}

function anyCase(random: Random, letter: string): string {
  return random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase();
}

function otherMember(random: Random, space: string, depth: number): string {
  const name = random.chance(0.3) ? secretText(random) : random.pick(['a', 'command', 'error', 'tokens', '']);
  return `${spelled(random, name)}:${space}${secretJson(random, depth - 1)}`;
}

/** Returns the JSON string of a text; some characters are written as escapes. */
function spelled(random: Random, text: string): string {
  const share = random.pick([0, 0, 0.1, 1]);
  const units = Array.from({ length: text.length }, (_, at) => {
    if (text[at] === '/' && random.chance(share)) return '\\/';
    if (random.chance(share)) return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
    const shown = JSON.stringify(text[at]).slice(1, -1);
    // Half of a pair stays as it is, next to its other half.
    return shown.startsWith('\\ud') && share === 0 ? text[at]! : shown;
  });
  return `"${units.join('')}"`;
}

/** Returns random bytes with secrets at random places. */
export function secretBytes(random: Random, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let size = 0; size < length; ) {
    const filler = Buffer.alloc(random.below(length), random.pick([0x20, 0x2e, 0xff, 0x00]));
    const text = Buffer.from(secretText(random));
    parts.push(filler, text);
    size += filler.length + text.length;
  }
  return Buffer.concat(parts);
}
