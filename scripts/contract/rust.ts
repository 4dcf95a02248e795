/**
 * Writes values of JSON as constants of Rust, with the types that they need.
 *
 * An object becomes a struct, so that the compiler refuses a name that the contract does not have. Only an object whose
 * members are iterated becomes a list of pairs. Invariant: every object of one list has the same struct; a member that
 * some of them lack is an `Option`.
 */
import type { Json, JsonObject } from '../contract-facts.ts';
import { pascalCase } from './fields.ts';

/** How values differ from their default. A path has dots between its parts, and `*` for any member. */
export interface Hints {
  /** Objects whose members are iterated. */
  readonly pairs?: readonly string[];
  /** The name of a struct; several objects may share one. */
  readonly names?: Readonly<Record<string, string>>;
  /** Types of numbers; `u64` is the default. */
  readonly numbers?: Readonly<Record<string, string>>;
  /** What a struct is, for its documentation. */
  readonly about?: Readonly<Record<string, string>>;
}

type Type =
  | { readonly kind: 'plain'; readonly name: string }
  | { readonly kind: 'list' | 'pairs' | 'option'; readonly of: Type }
  | { readonly kind: 'struct'; readonly name: string; readonly members: ReadonlyMap<string, Type> };

const NOTHING = 'the members are those of the file, which explains them';

/** Returns the declarations of all structs that a value needs, and the static `name` with it. */
export function rustStatic(name: string, about: string, value: Json, hints: Hints = {}): string {
  const structs = new Map<string, string>();
  const type = typeOf([value], pascalCase(name.toLowerCase()), '', hints, structs);
  return `${[...structs.values()].toReversed().join('\n')}
    /// ${about}
    pub static ${name}: ${written(type)} = ${literal(value, type)};
  `;
}

/** Returns a text as a literal of Rust. */
export function rustText(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Returns the type of values of one place. */
function typeOf(
  values: readonly Json[],
  name: string,
  path: string,
  hints: Hints,
  structs: Map<string, string>,
): Type {
  const [first] = values;
  const inner = (of: readonly Json[], member: string) => {
    const at = path === '' ? member : `${path}.${member}`;
    return typeOf(of, path === '' ? pascalCase(member) : `${name}${pascalCase(member)}`, at, hints, structs);
  };
  if (typeof first === 'string') return { kind: 'plain', name: "&'static str" };
  if (typeof first === 'boolean') return { kind: 'plain', name: 'bool' };
  if (typeof first === 'number') return { kind: 'plain', name: hinted(hints.numbers, path) ?? 'u64' };
  if (Array.isArray(first)) return { kind: 'list', of: inner((values as Json[][]).flat(), '*') };
  if (first === null || first === undefined) throw new TypeError(`${path} has no type`);
  const objects = values as readonly JsonObject[];
  if (hints.pairs?.includes(path)) return { kind: 'pairs', of: inner(objects.flatMap(Object.values), '*') };
  const own = hinted(hints.names, path) ?? name;
  const members = new Map<string, Type>();
  for (const key of new Set(objects.flatMap(Object.keys))) {
    const given = objects.flatMap((one) => (key in one && one[key] !== null ? [one[key]!] : []));
    const type = inner(given, key);
    members.set(key, given.length === objects.length ? type : { kind: 'option', of: type });
  }
  const lines = [...members].map(([key, type]) => `pub ${rustName(key)}: ${written(type)},`);
  structs.set(
    own,
    `
    /// ${hinted(hints.about, path) ?? `\`${path}\`.`}
    #[derive(Debug)]
    #[expect(missing_docs, reason = "${NOTHING}")]
    pub struct ${own} { ${lines.join('\n')} }
    `,
  );
  return { kind: 'struct', name: own, members };
}

function hinted(hints: Readonly<Record<string, string>> | undefined, path: string): string | undefined {
  return Object.entries(hints ?? {}).find(([pattern]) => {
    const parts = pattern.split('.');
    const given = path.split('.');
    return (
      parts.length === given.length && parts.every((part, index) => part === '*' || part === given[index])
    );
  })?.[1];
}

function written(type: Type): string {
  switch (type.kind) {
    case 'plain':
    case 'struct':
      return type.name;
    case 'list':
      return `&'static [${written(type.of)}]`;
    case 'pairs':
      return `&'static [(&'static str, ${written(type.of)})]`;
    case 'option':
      return `Option<${written(type.of)}>`;
  }
}

function literal(value: Json | undefined, type: Type): string {
  switch (type.kind) {
    case 'plain':
      if (typeof value === 'string') return rustText(value);
      return type.name === 'f64' && Number.isInteger(value) ? `${value}.0` : String(value);
    case 'list':
      return `&[${(value as Json[]).map((one) => literal(one, type.of)).join(', ')}]`;
    case 'pairs':
      return `&[${Object.entries(value as JsonObject)
        .map(([key, one]) => `(${rustText(key)}, ${literal(one, type.of)})`)
        .join(', ')}]`;
    case 'option':
      return value === undefined || value === null ? 'None' : `Some(${literal(value, type.of)})`;
    case 'struct': {
      const object = value as JsonObject;
      const lines = [...type.members].map(([key, of]) => `${rustName(key)}: ${literal(object[key], of)}`);
      return `${type.name} { ${lines.join(', ')} }`;
    }
  }
}

/** Returns the name of a member: `type` is a word of Rust, and a hyphen is no part of a name. */
function rustName(key: string): string {
  return key === 'type' ? 'kind' : key.replaceAll('-', '_');
}

/** Returns a word as the name of a variant. */
export function pascal(word: string): string {
  return pascalCase(word.replaceAll('-', '_'));
}

/** Returns the declaration of an enum whose variants are words. */
export function rustEnum(name: string, about: string, words: readonly string[]): string {
  return `
/// ${about}
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the word of its name")]
pub enum ${name} { ${words.map((word) => `${pascal(word)},`).join('\n')} }

impl ${name} {
    /// All of them.
    pub const ALL: [${name}; ${words.length}] = [${words.map((word) => `${name}::${pascal(word)},`).join('\n')}];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self { ${words.map((word) => `${name}::${pascal(word)} => "${word}",`).join('\n')} }
    }
}
`;
}
