/**
 * Reads the inputs of `check-twins`: both source trees, the exceptions and the generated document.
 *
 * Patterns suffice instead of parsers: formatters write both trees, so a public function or type starts a line. Items
 * from macros are not compared.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './contract-facts.ts';

export type Twin = 'rs' | 'ts';

export const TWINS: readonly Twin[] = ['rs', 'ts'];
export const SOURCES: Readonly<Record<Twin, string>> = { rs: 'server-rs/src', ts: 'server-ts/src' };
/** The exceptions, with their reasons. */
export const EXCEPTIONS = 'scripts/twin-exceptions.json';
/** Generated from the sources and the exceptions. */
export const DOCUMENT = 'docs/twins.md';

/** A source file of a server. */
export interface Module {
  /** Relative to the root of the checkout. */
  readonly path: string;
  readonly text: string;
}

/** Modules, public names and imports of one server alone, each with a reason. */
export interface Exceptions {
  readonly modules: readonly { readonly twin: Twin; readonly module: string; readonly reason: string }[];
  /** Functions and types, in the spelling of that server, by module. */
  readonly names: readonly NameException[];
  /** Imports in the opposite direction of the other server. */
  readonly imports: readonly ImportException[];
}

export interface NameException {
  readonly twin: Twin;
  readonly reason: string;
  readonly names: Readonly<Record<string, readonly string[]>>;
}

export interface ImportException {
  readonly twin: Twin;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export interface Trees {
  readonly modules: Readonly<Record<Twin, readonly Module[]>>;
  readonly exceptions: Exceptions;
  /** The current document; undefined when it is missing. */
  readonly document: string | undefined;
}

/** Reads a checkout; tests and type declarations are not modules. */
export function readTrees(root: string): Trees {
  const read = (twin: Twin): Module[] =>
    filesBelow(join(root, SOURCES[twin]))
      .filter((path) => path.endsWith(`.${twin}`) && !/(\.test|\.d)\.ts$|(^|[/_])tests\.rs$/.test(path))
      .map((path) => ({ path: path.slice(join(root, '/').length), text: readFileSync(path, 'utf8') }));
  const textOf = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  const none: Exceptions = { modules: [], names: [], imports: [] };
  return {
    modules: { rs: read('rs'), ts: read('ts') },
    exceptions: { ...none, ...(JSON.parse(textOf(EXCEPTIONS) ?? '{}') as Partial<Exceptions>) },
    document: textOf(DOCUMENT),
  };
}

/** Returns the shared name of a module: `server-rs/src/http/mod.rs` and `server-ts/src/http/index.ts` are `http`. */
export function moduleName(path: string): string {
  return path
    .replace(/^server-(rs|ts)\/src\//, '')
    .replace(/\.(rs|ts)$/, '')
    .replace(/\/(mod|index)$/, '')
    .replaceAll('-', '_');
}

/** Returns the submodules that a Rust file declares, in order, without test modules. */
export function declaredModules(text: string): string[] {
  return [...text.matchAll(/^(?:pub(?:\([a-z]+\))? )?mod ([a-z_0-9]+);/gm)]
    .map(([, name]) => name!)
    .filter((name) => !/(^|_)tests$/.test(name));
}

/** Returns the comment at the start of a file, without its marks; empty when there is none. */
export function headComment(text: string): string {
  const found = /^(?:\/\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(text)?.[0] ?? '';
  return found
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/!?|\*)?\s?/, '').trimEnd())
    .join('\n')
    .trim();
}

/** Returns the first sentence of a head comment: a module's purpose. */
export function purposeOf(text: string): string {
  const [paragraph = ''] = headComment(text).split('\n\n');
  return /^.*?\.(?=\s|$)/.exec(paragraph.replaceAll('\n', ' '))?.[0] ?? '';
}

/** Patterns of public items. Crate-visible items are not part of the public interface. */
const PUBLIC = {
  functions: {
    rs: /^pub (?:const )?(?:async )?fn ([a-z_0-9]+)/gm,
    ts: /^export (?:async )?function\*? ?([A-Za-z0-9]+)/gm,
  },
  types: {
    rs: /^pub (?:struct|enum|union|trait|type) ([A-Za-z0-9]+)/gm,
    ts: /^export (?:abstract |const )?(?:class|interface|type|enum) ([A-Za-z0-9]+)/gm,
  },
} as const;

/**
 * Patterns of all items. An item that is public in one language may be private in the other, and a function may be a
 * method.
 */
const ANY = {
  functions: {
    rs: /^ *(?:pub(?:\([a-z]+\))? )?(?:const )?(?:async )?fn ([a-z_0-9]+)/gm,
    ts: /^(?:(?:export )?(?:async )?function\*? ?| {2}(?:private |static |async |get )*\*?)([a-z][A-Za-z0-9]*)(?:<\w+>)?\(.*/gm,
  },
  types: {
    rs: /^ *(?:pub(?:\([a-z]+\))? )?(?:struct|enum|union|trait|type) ([A-Za-z0-9]+)/gm,
    ts: /^(?:export )?(?:abstract |const )?(?:class|interface|type|enum) ([A-Za-z0-9]+)/gm,
  },
} as const;

export type NameKind = keyof typeof PUBLIC;

export const NAME_KINDS: readonly NameKind[] = ['functions', 'types'];

/** Returns public free functions or public types, in their own spelling. */
export function publicNames(kind: NameKind, twin: Twin, text: string): string[] {
  return namesOf(text, PUBLIC[kind][twin]);
}

/** Returns functions and methods, or types, including private ones. */
export function anyNames(kind: NameKind, twin: Twin, text: string): string[] {
  return namesOf(text, ANY[kind][twin]);
}

function namesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name!);
}

/** Returns a name in snake case, so that `parseConfig` and `parse_config` are equal. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns a Rust file without the unit tests at its end, which TypeScript has in separate files. */
export function withoutTests(text: string): string {
  return text.replace(/\n#\[cfg\(test\)\]\nmod tests \{[\s\S]*$/, '\n');
}

/** Counts the lines of a module without its unit tests. */
export function countLines(twin: Twin, text: string): number {
  const code = twin === 'rs' ? withoutTests(text) : text;
  return code.replace(/\n$/, '').split('\n').length;
}
