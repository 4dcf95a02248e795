/**
 * Reads what `check-twins` compares: both source trees, and the tables of ARCHITECTURE.md.
 *
 * Why by patterns and not by parsers: both trees are formatted by their tools, so a public function begins a
 * line. What macros make is not compared.
 * Knows nothing of what is right or wrong.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './contract-facts.ts';

export type Twin = 'rs' | 'ts';

export const TWINS: readonly Twin[] = ['rs', 'ts'];
export const SOURCES: Readonly<Record<Twin, string>> = { rs: 'server-rs/src', ts: 'server-ts/src' };

/** A source file of a server. */
export interface Module {
  /** Below the root of the checkout. */
  readonly path: string;
  readonly text: string;
}

/** One row of the twin table: the same module twice, or one that the other twin has no need of. */
export interface Row {
  readonly rs: string | undefined;
  readonly ts: string | undefined;
  /** The last cell. */
  readonly purpose: string;
}

/** A function that only one twin has, and why. */
export interface Exception {
  readonly twin: Twin;
  /** As in `store/writer`. */
  readonly module: string;
  /** As it is written in that twin. */
  readonly name: string;
  readonly reason: string;
}

export interface Trees {
  readonly modules: Readonly<Record<Twin, readonly Module[]>>;
  /** Undefined when there is no ARCHITECTURE.md. */
  readonly tables: { readonly rows: readonly Row[]; readonly exceptions: readonly Exception[] } | undefined;
}

/** Reads a checkout; tests and type declarations are no modules. */
export function readTrees(root: string): Trees {
  const read = (twin: Twin): Module[] =>
    filesBelow(join(root, SOURCES[twin]))
      .filter((path) => path.endsWith(`.${twin}`) && !/(\.test|\.d)\.ts$|(^|[/_])tests\.rs$/.test(path))
      .map((path) => ({ path: path.slice(join(root, '/').length), text: readFileSync(path, 'utf8') }));
  const architecture = join(root, 'ARCHITECTURE.md');
  const text = existsSync(architecture) ? readFileSync(architecture, 'utf8') : undefined;
  return {
    modules: { rs: read('rs'), ts: read('ts') },
    tables: text === undefined ? undefined : { rows: readRows(text), exceptions: readExceptions(text) },
  };
}

/** The name of a module in both twins: `server-rs/src/http/mod.rs` and `server-ts/src/http/index.ts` are `http`. */
export function moduleName(path: string): string {
  return path
    .replace(/^server-(rs|ts)\/src\//, '')
    .replace(/\.(rs|ts)$/, '')
    .replace(/\/(mod|index)$/, '')
    .replaceAll('-', '_');
}

/** The submodules that a Rust file declares, in their order, without those for tests. */
export function declaredModules(text: string): string[] {
  return [...text.matchAll(/^(?:pub(?:\([a-z]+\))? )?mod ([a-z_0-9]+);/gm)]
    .map(([, name]) => name!)
    .filter((name) => !/(^|_)tests$/.test(name));
}

/** Public free functions, as they are written. */
export function publicFunctions(twin: Twin, text: string): string[] {
  return namesOf(text, twin === 'rs' ? RUST_FUNCTION : SCRIPT_FUNCTION);
}

/** Functions and methods, private ones too: what is public in one language may be private in the other. */
export function anyFunctions(twin: Twin, text: string): string[] {
  return namesOf(text, twin === 'rs' ? RUST_ANY : SCRIPT_ANY);
}

/** What is visible inside the crate only is not what a reader of the other twin looks for. */
const RUST_FUNCTION = /^pub (?:const )?(?:async )?fn ([a-z_0-9]+)/gm;
const RUST_ANY = /^ *(?:pub(?:\([a-z]+\))? )?(?:const )?(?:async )?fn ([a-z_0-9]+)/gm;
const SCRIPT_FUNCTION = /^export (?:async )?function\*? ?([A-Za-z0-9]+)/gm;
const SCRIPT_ANY =
  /^(?:(?:export )?(?:async )?function\*? ?| {2}(?:private |static |async |get )*\*?)([a-z][A-Za-z0-9]*)\(.*/gm;

function namesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name!);
}

/** `parseConfig` and `parse_config` are the same name. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Lines of a module; in Rust without the unit tests at its end, which TypeScript has in files of their own. */
export function countLines(twin: Twin, text: string): number {
  const code = twin === 'rs' ? text.replace(/\n#\[cfg\(test\)\]\nmod tests \{[\s\S]*$/, '\n') : text;
  return code.replace(/\n$/, '').split('\n').length;
}

/** `| n | \`server-rs/src/x.rs\` | \`server-ts/src/x.ts\` | purpose |`; a dash where one twin has none. */
function readRows(text: string): Row[] {
  const side = (cell: string): string | undefined => /^`(.+)`$/.exec(cell)?.[1];
  return tableRows(text)
    .filter(
      ([, rs = '', ts = '']) =>
        /^`server-rs\/src\/|^[-–—]$/.test(rs) && /^`server-ts\/src\/|^[-–—]$/.test(ts),
    )
    .map((cells) => ({ rs: side(cells[1]!), ts: side(cells[2]!), purpose: cells[3] ?? '' }))
    .filter((row) => row.rs !== undefined || row.ts !== undefined);
}

/** `| \`module\` | \`rs\` or \`ts\` | \`function\` | reason |`. */
function readExceptions(text: string): Exception[] {
  return tableRows(text).flatMap(([module = '', twin = '', name = '', reason = '']) => {
    const found = /^`(rs|ts)`$/.exec(twin);
    if (!found) return [];
    const bare = (cell: string): string => cell.replace(/^`|`$/g, '');
    return [{ twin: found[1] as Twin, module: bare(module), name: bare(name), reason }];
  });
}

function tableRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .replace(/^\||\|\s*$/g, '')
        .split('|')
        .map((cell) => cell.trim()),
    );
}
