/**
 * `pnpm twins:check`: checks that both servers have the same modules and names.
 *
 * Both trees have the same modules, the same public functions and types, and imports in the same direction. Neither
 * tree names the other. `docs/twins.md` is generated from the sources; `--update` writes it. Invariant: it prints
 * every problem, not only the first; exit 1 when there is one.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { twinDocument } from './twin-document.ts';
import { importsOf } from './twin-imports.ts';
import {
  anyNames,
  countLines,
  DOCUMENT,
  EXCEPTIONS,
  headComment,
  moduleName,
  NAME_KINDS,
  publicNames,
  purposeOf,
  readTrees,
  SOURCES,
  snakeCase,
  type Trees,
  TWINS,
  type Twin,
  withoutTests,
} from './twin-sources.ts';

/** A longer file must give the reason in its head comment. */
export const MOST_LINES = 250;
const CLAIM = /\bOver 250\s+lines/;
const REASON = /\bOver 250\s+lines\s+because\s+\S/;

/**
 * Names of modules that write JSON text: rows, answers, frames, summaries of metadata. All others must call `render`.
 */
const JSON_WRITERS =
  /^(render(\/\w+)?|truncate|http\/(reply|health|frames|stream)|input\/results|rpc\/(batches|responses))$/;
/** Matches a member name inside a string: `"name":`, with escaped or plain quotes, without the space of a macro. */
const JSON_MEMBER = /\\?"[a-z_]+\\?":(?![\s:])/;

/** The problems, one a line, and the numbers of checked items. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly looked: string;
}

/** A module of both servers, with its text in each. */
interface Pair {
  readonly name: string;
  readonly path: Readonly<Record<Twin, string>>;
  readonly text: Readonly<Record<Twin, string>>;
}

/** Checks both trees. */
export function checkTwins(trees: Trees): Verdict {
  const pairs = pairsOf(trees);
  const problems = [
    ...(pairs.length === 0 ? ['no module is in both trees'] : []),
    ...checkModules(trees),
    ...pairs.flatMap(checkPurpose),
    ...TWINS.flatMap((twin) =>
      trees.modules[twin].flatMap((module) => checkText(twin, module.path, module.text)),
    ),
    ...checkNames(trees, pairs),
    ...checkImports(trees),
    ...checkReasons(trees),
    ...(trees.document === twinDocument(trees)
      ? []
      : [`${DOCUMENT} is not what the sources give: run pnpm twins:update`]),
  ];
  const count = (twin: Twin): number => trees.modules[twin].length;
  return {
    problems,
    looked: `${count('rs')} Rust and ${count('ts')} TypeScript files, ${pairs.length} pairs`,
  };
}

function pairsOf({ modules }: Trees): Pair[] {
  const byName = new Map(modules.ts.map((module) => [moduleName(module.path), module]));
  return modules.rs.flatMap((rs) => {
    const name = moduleName(rs.path);
    const ts = byName.get(name);
    return ts ? [{ name, path: { rs: rs.path, ts: ts.path }, text: { rs: rs.text, ts: ts.text } }] : [];
  });
}

/** Checks that a module that only one server has is an exception. */
function checkModules({ modules, exceptions }: Trees): string[] {
  const names = {
    rs: modules.rs.map(({ path }) => moduleName(path)).filter((name) => name !== 'lib'),
    ts: modules.ts.map(({ path }) => moduleName(path)),
  };
  const isOnly = (twin: Twin, name: string): boolean =>
    names[twin].includes(name) && !names[twin === 'rs' ? 'ts' : 'rs'].includes(name);
  const missing = TWINS.flatMap((twin) =>
    names[twin]
      .filter((name) => isOnly(twin, name))
      .filter((name) => !exceptions.modules.some((one) => one.twin === twin && one.module === name))
      .map((name) => `${SOURCES[twin]}: the other twin has no module ${name}`),
  );
  const idle = exceptions.modules.filter(({ twin, module }) => !isOnly(twin, module));
  return [...missing, ...idle.map(({ module }) => `${EXCEPTIONS}: module ${module} needs no exception`)];
}

/** Checks that both head comments start with the same sentence, which is the purpose in the document. */
function checkPurpose({ path, text }: Pair): string[] {
  const purpose = { rs: purposeOf(text.rs), ts: purposeOf(text.ts) };
  const silent = TWINS.filter((twin) => purpose[twin] === '');
  if (silent.length > 0) return silent.map((twin) => `${path[twin]}: its head comment has no sentence`);
  return purpose.rs === purpose.ts ? [] : [`${path.rs} and ${path.ts} begin with different sentences`];
}

function checkText(twin: Twin, path: string, text: string): string[] {
  const problems: string[] = [];
  if (/\bmirror(s|ed|ing)?\b/i.test(text))
    problems.push(`${path} says "mirrors": say what holds, not who copies whom`);
  const mayWriteJson = JSON_WRITERS.test(moduleName(path));
  const code = twin === 'rs' ? withoutTests(text) : text;
  for (const line of code.split('\n')) {
    if (!mayWriteJson && !/^\s*(\/\/|\/?\*)/.test(line) && JSON_MEMBER.test(line))
      problems.push(`${path} writes JSON text, which is the work of render: ${line.trim()}`);
    const reaches =
      /\bfrom '([^']+)'|\bimport\(?'([^']+)'|\binclude_(?:str|bytes)!\("([^"]+)"|#\[path = "([^"]+)"/.exec(
        line,
      );
    const from = reaches?.slice(1).find((one) => one !== undefined) ?? '';
    const other = twin === 'rs' ? 'server-ts' : 'server-rs';
    const wrong = [other, 'loadgen', 'parity-tests'].find((name) => from.includes(name));
    if (wrong) problems.push(`${path} reaches into ${wrong}`);
  }
  const lines = countLines(twin, text);
  const head = headComment(text);
  if (lines > MOST_LINES && !REASON.test(head))
    problems.push(`${path} has ${lines} lines; split it, or let its head say "Over 250 lines because …"`);
  if (lines <= MOST_LINES && CLAIM.test(head))
    problems.push(`${path} has ${lines} lines; its head says that it has over ${MOST_LINES}`);
  return problems;
}

/**
 * Checks that a public function or type of one twin exists in the same module of the other, public or private. Names of
 * a module that only one twin has, and exceptions, are not checked.
 */
function checkNames({ modules, exceptions }: Trees, pairs: readonly Pair[]): string[] {
  const excepted = new Set(
    exceptions.names.flatMap(({ twin, names }) =>
      Object.entries(names).flatMap(([module, list]) => list.map((name) => `${twin} ${module} ${name}`)),
    ),
  );
  const paired = new Set(pairs.map(({ name }) => name));
  const unpaired = (twin: Twin): string[] =>
    modules[twin].filter(({ path }) => !paired.has(moduleName(path))).map(({ text }) => text);
  const unpairedTexts = { rs: unpaired('rs'), ts: unpaired('ts') };
  const problems = pairs.flatMap(({ name: module, path, text }) =>
    TWINS.flatMap((twin) => {
      const other = twin === 'rs' ? 'ts' : 'rs';
      return NAME_KINDS.flatMap((kind) => {
        const texts = [text[other], ...unpairedTexts[other]];
        const others = texts.flatMap((one) => anyNames(kind, other, one)).map(snakeCase);
        return publicNames(kind, twin, text[twin])
          .filter((name) => !others.includes(snakeCase(name)))
          .filter((name) => !excepted.delete(`${twin} ${module} ${name}`))
          .map((name) => `${path[twin]}: the other twin has no ${name}`);
      });
    }),
  );
  return [...problems, ...[...excepted].map((one) => `${EXCEPTIONS}: ${one} needs no exception`)];
}

/** Checks that the two servers do not import in opposite directions, unless both import in both directions. */
function checkImports({ modules, exceptions }: Trees): string[] {
  const imports = { rs: importsOf('rs', modules.rs), ts: importsOf('ts', modules.ts) };
  const has = (twin: Twin, from: string, to: string): boolean => imports[twin].get(from)?.has(to) ?? false;
  const reversed = [...imports.rs].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => has('ts', to, from) && !(has('rs', to, from) && has('ts', from, to)))
      .map((to) => ({ from, to })),
  );
  const matches = (exception: { twin: Twin; from: string; to: string }, from: string, to: string): boolean =>
    exception.twin === 'rs'
      ? exception.from === from && exception.to === to
      : exception.from === to && exception.to === from;
  const problems = reversed.filter(
    ({ from, to }) => !exceptions.imports.some((one) => matches(one, from, to)),
  );
  const idle = exceptions.imports.filter((one) => !reversed.some(({ from, to }) => matches(one, from, to)));
  return [
    ...problems.map(
      ({ from, to }) => `${from} imports ${to} in Rust, and ${to} imports ${from} in TypeScript`,
    ),
    ...idle.map(({ from, to }) => `${EXCEPTIONS}: the import of ${to} by ${from} needs no exception`),
  ];
}

function checkReasons({ exceptions }: Trees): string[] {
  const all = [
    ...exceptions.modules.map(({ module, reason }) => ({ what: module, reason })),
    ...exceptions.names.map(({ names, reason }) => ({
      what: Object.values(names).flat().join(', '),
      reason,
    })),
    ...exceptions.imports.map(({ from, to, reason }) => ({ what: `${from} ${to}`, reason })),
  ];
  return all
    .filter(({ reason }) => reason.trim() === '')
    .map(({ what }) => `${EXCEPTIONS}: ${what} has no reason`);
}

function main(): number {
  answerHelp(`Usage: pnpm twins:check, pnpm twins:update

Compares the modules and public names of both servers; twins:update writes ${DOCUMENT} first.

Exit code: 0 in order, 1 a problem.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const trees = readTrees(root);
  if (process.argv.includes('--update')) writeFileSync(join(root, DOCUMENT), twinDocument(trees));
  const { problems, looked } = checkTwins(readTrees(root));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `twins: ${looked}: ${problems.length === 0 ? 'in order' : `${problems.length} problems`}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
