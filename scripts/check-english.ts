/**
 * Checks for plain English in documents, comments and names of tests: the length of sentences and the glossary.
 *
 * All data is in `scripts/english.json`: the rules, the folders whose sources are checked, the documents that are not
 * checked, and the exceptions. An exception covers one place: a file and some words of the line, or of the sentence's
 * first line.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { type Problem, problemsOf, type Rules } from './english/rules.ts';
import { commentsOfSql, proseOf } from './english/text.ts';

export interface Data extends Rules {
  readonly markdown: { readonly generated: readonly string[] };
  /** Folders and files whose TypeScript, Rust and SQL sources are checked. */
  readonly sources: { readonly folders: readonly string[] };
  readonly exceptions: readonly { readonly file: string; readonly words: string; readonly reason: string }[];
}

export const MOST_EXCEPTIONS = 10;

export interface Found extends Problem {
  readonly file: string;
  /** The text of the line, which exceptions are compared with. */
  readonly source: string;
}

/** Returns the checked files out of those that git lists. */
export function chosen(files: readonly string[], data: Data): string[] {
  const skipped = new Set(data.markdown.generated);
  const within = (file: string) =>
    data.sources.folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
  return files.filter(
    (file) =>
      (file.endsWith('.md') && !skipped.has(file)) ||
      (/(?<!\.d)\.(ts|tsx|rs|sql)$/.test(file) && within(file)),
  );
}

/** Matches a generated block of a document, from `<!-- NAME: generated ... -->` to `<!-- /NAME -->`. */
const GENERATED = /<!-- (\w+): generated [\s\S]*?<!-- \/\1 -->/g;

/** Returns the problems of a file. Generated blocks are not checked. */
export async function checkFile(file: string, text: string, rules: Rules): Promise<Found[]> {
  const lines = text.split('\n');
  const prose = file.endsWith('.md')
    ? {
        text: text.replace(GENERATED, (block) => block.replace(/[^\n]/g, '')),
        lines: lines.map((_, index) => index + 1),
      }
    : file.endsWith('.sql')
      ? commentsOfSql(text)
      : proseOf(text);
  const problems = await problemsOf(prose.text, rules);
  return problems.map(({ rule, line, message }) => {
    const there = prose.lines[line - 1] ?? 1;
    return { file, rule, line: there, message, source: lines[there - 1] ?? '' };
  });
}

/**
 * Returns the problems that no exception covers. `faults` are exceptions that cover nothing, or a number of exceptions
 * above the maximum.
 */
export function without(found: readonly Found[], exceptions: Data['exceptions']) {
  const covers = ({ file, words }: Data['exceptions'][number], one: Found) =>
    one.file === file && one.source.includes(words);
  return {
    problems: found.filter((one) => !exceptions.some((exception) => covers(exception, one))),
    faults: [
      ...exceptions
        .filter((exception) => !found.some((one) => covers(exception, one)))
        .map(({ file, words }) => `scripts/english.json: the exception "${words}" of ${file} covers nothing`),
      ...(exceptions.length > MOST_EXCEPTIONS
        ? [`scripts/english.json: more than ${MOST_EXCEPTIONS} exceptions`]
        : []),
    ],
  };
}

async function main(): Promise<number> {
  answerHelp(`Usage: pnpm english:check [FOLDER...]

Checks sentences and words of documents, comments and names of tests by scripts/english.json. With folders it checks
their sources, listed there or not.

Exit code: 0 in order, 1 a problem.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const data = JSON.parse(readFileSync(join(root, 'scripts/english.json'), 'utf8')) as Data;
  const folders = process.argv.slice(2);
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  const wanted = folders.length === 0 ? data : { ...data, sources: { folders } };
  const within = (file: string) =>
    folders.length === 0 || folders.some((folder) => `${file}/`.startsWith(`${folder}/`));
  const checked = chosen(files, wanted).filter(within);
  const found: Found[] = [];
  for (const file of checked)
    found.push(...(await checkFile(file, readFileSync(join(root, file), 'utf8'), data)));
  const { problems, faults } = without(found, data.exceptions);
  for (const { file, line, rule, message } of problems)
    process.stderr.write(`${file}:${line}: ${rule}: ${message}\n`);
  for (const fault of folders.length === 0 ? faults : []) process.stderr.write(`${fault}\n`);
  const count = problems.length + (folders.length === 0 ? faults.length : 0);
  process.stdout.write(
    `english: ${checked.length} files: ${count === 0 ? 'in order' : `${count} problems`}\n`,
  );
  return count === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
