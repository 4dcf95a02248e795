/**
 * Finds the modules that a module of a server imports, in either language.
 *
 * It uses patterns instead of parsers. Formatters write both trees, so an import is a `use` line, a path that begins
 * with a module's name, or a relative specifier. Unit tests inside Rust modules are not checked.
 */
import { posix } from 'node:path';
import { declaredModules, type Module, moduleName, type Twin, withoutTests } from './twin-sources.ts';

/** Returns the modules that each module of a tree imports; types count like values. */
export function importsOf(twin: Twin, modules: readonly Module[]): Map<string, ReadonlySet<string>> {
  const names = new Set(modules.map(({ path }) => moduleName(path)));
  return new Map(
    modules.map((module) => {
      const name = moduleName(module.path);
      const found = twin === 'rs' ? rustImports(module, names) : scriptImports(module, names);
      return [name, new Set(found.filter((one) => one !== name))];
    }),
  );
}

function scriptImports({ path, text }: Module, names: ReadonlySet<string>): string[] {
  return [...text.matchAll(/\b(?:from |import |import\()'(\.[^']+)'/g)]
    .map(([, specifier]) => moduleName(posix.join(posix.dirname(path), specifier!)))
    .filter((name) => names.has(name));
}

function rustImports({ path, text }: Module, names: ReadonlySet<string>): string[] {
  const code = withoutTests(text).replace(/\/\/.*/g, '');
  const own = path.endsWith('/lib.rs') ? [] : moduleName(path).split('/');
  /** Maps the first segments of paths to the modules that they refer to. */
  const beginnings = new Map<string, readonly string[]>([
    ['crate', []],
    ['ingest_server', []],
    ['self', own],
    ['super', own.slice(0, -1)],
    ...declaredModules(text).map((child) => [child, [...own, child]] as const),
  ]);
  const resolve = (path: string): string | undefined => {
    const [first = '', ...rest] = path.split('::');
    const beginning = beginnings.get(first);
    return beginning && longestModule([...beginning, ...rest], names);
  };
  const used = [...code.matchAll(/^ *(?:pub(?:\([a-z]+\))? )?use ([^;]+);/gm)].flatMap(([, tree]) =>
    expandUse(tree!),
  );
  const imported = used.flatMap((path) => resolve(path) ?? []);
  // `use crate::http::reply;` allows paths that start with `reply`.
  for (const path of used) {
    const module = resolve(path);
    const last = path.split('::').at(-1)!;
    if (module !== undefined && module.split('/').at(-1) === last) beginnings.set(last, module.split('/'));
  }
  const paths = [...code.matchAll(/(?<![A-Za-z0-9_:])[a-z_0-9]+(?:::[A-Za-z_0-9]+)+/g)];
  return [...imported, ...paths.flatMap(([path]) => resolve(path) ?? [])];
}

/** Expands `a::{b, c::{d, e}}` to `a::b`, `a::c::d` and `a::c::e`. `self` at the end refers to the enclosing module. */
export function expandUse(tree: string): string[] {
  const text = tree.replace(/\s+/g, ' ').trim();
  const open = text.indexOf('{');
  if (open < 0) return [text.replace(/ as .*/, '').replace(/::self$/, '')];
  const prefix = text.slice(0, open);
  const parts: string[] = [''];
  let depth = 0;
  for (const sign of text.slice(open + 1, text.lastIndexOf('}'))) {
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts.filter((part) => part.trim() !== '').flatMap((part) => expandUse(prefix + part.trim()));
}

/** Returns the module of a path: its longest part that is a module. */
function longestModule(path: readonly string[], names: ReadonlySet<string>): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const name = path.slice(0, length).join('/');
    if (names.has(name)) return name;
  }
  return undefined;
}
