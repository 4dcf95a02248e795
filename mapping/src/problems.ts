/**
 * Collects the problems of a mapping, each with its place, while it is compiled.
 *
 * Invariant: a compiler reports every problem and continues, so that one run names them all.
 */

/** A mapping that no event can come from. */
export class MappingError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'MappingError';
    this.problems = problems;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A place in a file, and the list that its problems go to. */
export class Place {
  readonly #at: string;
  readonly #problems: string[];

  constructor(at: string, problems: string[]) {
    this.#at = at;
    this.#problems = problems;
  }

  /** Returns the place of a member or an item. */
  in(name: string | number): Place {
    return new Place(this.#at.endsWith(': ') ? `${this.#at}${name}` : `${this.#at}/${name}`, this.#problems);
  }

  problem(text: string): void {
    this.#problems.push(this.#at.endsWith(': ') ? `${this.#at}${text}` : `${this.#at}: ${text}`);
  }

  /** Returns an object with only these members; an empty one for any other value. */
  object(value: unknown, known: readonly string[]): JsonObject {
    const object = this.map(value);
    for (const name of Object.keys(object)) if (!known.includes(name)) this.problem(`${name} means nothing`);
    return object;
  }

  /** Returns an object with any members. */
  map(value: unknown): JsonObject {
    if (isObject(value)) return value;
    this.problem('is no object');
    return {};
  }

  list(value: unknown): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.problem('is no list');
    return [];
  }

  text(value: unknown): string {
    if (typeof value === 'string' && value !== '') return value;
    this.problem('is no text');
    return '';
  }

  texts(value: unknown): readonly string[] {
    return this.list(value).map((item, at) => this.in(at).text(item));
  }

  /** Returns a text or the texts of a list. */
  oneOrMore(value: unknown): readonly string[] {
    return Array.isArray(value) ? this.texts(value) : [this.text(value)];
  }

  word(value: unknown, words: readonly string[]): string {
    if (typeof value === 'string' && words.includes(value)) return value;
    this.problem(`${JSON.stringify(value)} is none of ${words.join(' ')}`);
    return words[0]!;
  }
}
