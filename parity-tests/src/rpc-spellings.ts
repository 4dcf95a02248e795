/**
 * Generates random arguments of typed calls, and the same arguments in the spelling of other clients.
 *
 * They depend only on the PRNG.
 */
import { type Random, shuffle } from '@twin-ingest/testkit/random.ts';

/** The members of an object. */
type Dict = Record<string, unknown>;

/** Returns a nested dict with edge-case values. */
export function randomDict(random: Random): Dict {
  const text = (): string => random.pick(['', 'a', 'é\n"\\', '😀\0', 'x'.repeat(random.below(40))]);
  const number = (): number =>
    random.pick([0, 1, -5, 0.5, 1e21, 5e-324, random.next(), random.below(1e9) / 8]);
  const flag = (): boolean => random.chance(0.5);
  return {
    topStr: text(),
    topD: number(),
    topB: flag(),
    nested: { str: text(), d: number(), b: flag() },
  };
}

/** Removes one member, or replaces its value, mostly by one of another type. */
export function breakOne(random: Random, dict: Dict): void {
  const inside = random.chance(0.5) ? dict : (dict.nested as Dict);
  const key = random.pick(Object.keys(inside));
  if (random.chance(0.3)) delete inside[key];
  else inside[key] = random.pick([null, [], {}, 'text', 7, true, '\ud800']);
}

/**
 * Returns the same value as other clients write it, with other white space, escapes, order of members and number forms,
 * and with further members.
 */
export function respelled(random: Random, value: unknown): string {
  const space = (): string => random.pick(['', '', ' ', '\n', '\t ']);
  if (Array.isArray(value)) {
    return `[${value.map((item) => space() + respelled(random, item) + space()).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, item]) => [key, respelled(random, item)] as const);
    // Adds an unknown member, and a member that a later one replaces.
    if (random.chance(0.3))
      members.push([`x${random.below(9)}`, random.pick(['null', '[[{}]]', '{"str":1}'])]);
    shuffle(random, members);
    const [first] = members;
    if (first !== undefined && random.chance(0.3)) members.unshift([first[0], '{"b":[0]}']);
    const texts = members.map(
      ([key, text]) => `${space()}${spelledText(random, key)}${space()}:${space()}${text}`,
    );
    return `{${texts.join(',')}${space()}}`;
  }
  if (typeof value === 'string') return spelledText(random, value);
  return typeof value === 'number' ? spelledNumber(random, value) : JSON.stringify(value);
}

function spelledText(random: Random, text: string): string {
  const escaped = [...JSON.stringify(text).slice(1, -1)].join('');
  return `"${escaped.replace(/[a-z]/g, (letter, at: number) => {
    const isEscape = escaped[at - 1] === '\\' || /\\u[0-9a-f]{0,3}$/.test(escaped.slice(0, at));
    return isEscape || random.chance(0.8)
      ? letter
      : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  })}"`;
}

function spelledNumber(random: Random, value: number): string {
  const plain = String(value);
  if (!Number.isInteger(value) || plain.includes('e')) return plain;
  return random.pick([plain, `${plain}.0`, `${plain}e0`, `${plain}.00E+0`]);
}
