/**
 * `pnpm twins:check`: whoever knows one server finds their way in the other.
 *
 * The two trees have the same modules in the same order, and the same public functions; neither speaks of the
 * other, and no file outgrows its reader. The order is that of the table in ARCHITECTURE.md.
 * What must stay true: every problem is printed, not the first; exit 1 when there is one.
 */
import { fileURLToPath } from 'node:url';
import {
  anyFunctions,
  countLines,
  declaredModules,
  type Exception,
  moduleName,
  publicFunctions,
  type Row,
  readTrees,
  SOURCES,
  snakeCase,
  type Trees,
  TWINS,
  type Twin,
} from './twin-sources.ts';

/** Longer files say why at their top. */
export const MOST_LINES = 250;
const REASON = /^\W*Over 250 lines because \S/m;

/** Problems, one a line, and what was looked at. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly looked: string;
}

/** Checks both trees. */
export function checkTwins(trees: Trees): Verdict {
  const { rows, exceptions } = trees.tables ?? { rows: [], exceptions: [] };
  const problems = [
    ...(trees.tables ? [] : ['ARCHITECTURE.md is not there']),
    ...checkRows(rows),
    ...TWINS.flatMap((twin) => checkFiles(twin, trees, rows)),
    ...checkOrder(trees, rows),
    ...TWINS.flatMap((twin) =>
      trees.modules[twin].flatMap((module) => checkText(twin, module.path, module.text)),
    ),
    ...checkFunctions(trees, rows, exceptions),
  ];
  const count = (twin: Twin): number => trees.modules[twin].length;
  return { problems, looked: `${count('rs')} Rust and ${count('ts')} TypeScript files, ${rows.length} rows` };
}

/** Both sides of a row are the same module, and a row with one side says why. */
function checkRows(rows: readonly Row[]): string[] {
  if (rows.length === 0) return ['ARCHITECTURE.md has no table of twins'];
  return rows.flatMap(({ rs, ts, purpose }) => {
    if (purpose === '') return [`ARCHITECTURE.md: the row of ${rs ?? ts} says nothing of it`];
    if (rs === undefined || ts === undefined || moduleName(rs) === moduleName(ts)) return [];
    return [`ARCHITECTURE.md: ${rs} stands beside ${ts}`];
  });
}

/** The table names every file once, and none that is not there. */
function checkFiles(twin: Twin, trees: Trees, rows: readonly Row[]): string[] {
  const there = trees.modules[twin]
    .map((module) => module.path)
    .filter((path) => path !== `${SOURCES.rs}/lib.rs`);
  const named = rows.flatMap((row) => row[twin] ?? []);
  return [
    ...there
      .filter((path) => !named.includes(path))
      .map((path) => `${path} is not in the table of ARCHITECTURE.md`),
    ...named.filter((path) => !there.includes(path)).map((path) => `${path} is in the table, but not there`),
    ...named
      .filter((path, index) => named.indexOf(path) !== index)
      .map((path) => `${path} is in the table twice`),
  ];
}

/** The `mod` lines of Rust have the order of the table. */
function checkOrder(trees: Trees, rows: readonly Row[]): string[] {
  const listed = rows.flatMap((row) => (row.rs === undefined ? [] : moduleName(row.rs)));
  return trees.modules.rs.flatMap(({ path, text }) => {
    const parent = /\/(lib|mod)\.rs$/.test(path) ? moduleName(path).replace(/^lib$/, '') : undefined;
    if (parent === undefined) return [];
    const children = listed
      .filter((name) => (parent === '' ? !name.includes('/') : name.startsWith(`${parent}/`)))
      .map((name) => name.slice(parent === '' ? 0 : parent.length + 1))
      .filter((name) => name !== 'main');
    const declared = declaredModules(text);
    if (declared.join() === children.join()) return [];
    return [`${path} has the order ${declared.join(' ')}, the table ${children.join(' ')}`];
  });
}

function checkText(twin: Twin, path: string, text: string): string[] {
  const problems: string[] = [];
  if (/\bmirror(s|ed|ing)?\b/i.test(text))
    problems.push(`${path} says "mirrors": say what holds, not who copies whom`);
  for (const line of text.split('\n')) {
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
  if (lines > MOST_LINES && !REASON.test(headComment(text)))
    problems.push(`${path} has ${lines} lines; split it, or let its head say "Over 250 lines because …"`);
  return problems;
}

/** The comment that a file begins with. */
function headComment(text: string): string {
  return /^(?:\/\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(text)?.[0] ?? '';
}

/** A public function of one twin is a function or method of the other, or an exception with a reason. */
function checkFunctions(trees: Trees, rows: readonly Row[], exceptions: readonly Exception[]): string[] {
  const textOf = (twin: Twin, path: string): string =>
    trees.modules[twin].find((module) => module.path === path)?.text ?? '';
  const used = new Set<Exception>();
  const problems = rows.flatMap((row) => {
    if (row.rs === undefined || row.ts === undefined) return [];
    const text = { rs: textOf('rs', row.rs), ts: textOf('ts', row.ts) };
    return TWINS.flatMap((twin) => {
      const other = twin === 'rs' ? 'ts' : 'rs';
      const others = anyFunctions(other, text[other]).map(snakeCase);
      return publicFunctions(twin, text[twin]).flatMap((name) => {
        if (others.includes(snakeCase(name))) return [];
        const module = moduleName(row[twin]!);
        const exception = exceptions.find(
          (one) => one.twin === twin && one.module === module && one.name === name,
        );
        if (!exception) return [`${row[twin]}: the other twin has no ${name}`];
        used.add(exception);
        return exception.reason === '' ? [`ARCHITECTURE.md: the exception ${name} has no reason`] : [];
      });
    });
  });
  const idle = exceptions.filter((one) => !used.has(one));
  return [...problems, ...idle.map((one) => `ARCHITECTURE.md: ${one.module} ${one.name} needs no exception`)];
}

function main(): number {
  const { problems, looked } = checkTwins(readTrees(fileURLToPath(new URL('..', import.meta.url))));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `twins: ${looked}: ${problems.length === 0 ? 'in order' : `${problems.length} problems`}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
