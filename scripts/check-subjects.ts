/**
 * Checks the subjects of commits: `area: verb object`, at most 72 characters.
 *
 * Only commits after the one that added this file are checked, so that older history never fails. In a shallow clone,
 * only the available commits are checked.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';

export const MOST_CHARACTERS = 72;

/** An area is a folder, a package or a topic; several are separated by commas. A verb begins in lower case. */
const SUBJECT = /^[a-z0-9][\w.-]*(?:, [a-z0-9][\w.-]*)*: [^\sA-Z]\S*(?: \S+)+$/;

/** Returns the problem of a subject; undefined if there is none. */
export function problemOf(subject: string): string | undefined {
  if ([...subject].length > MOST_CHARACTERS) return `more than ${MOST_CHARACTERS} characters`;
  if (subject.endsWith('.')) return 'ends with a full stop';
  return SUBJECT.test(subject) || /^(?:Merge|Revert) /.test(subject)
    ? undefined
    : 'is not `area: verb object`';
}

/**
 * Returns the commits of `range` after the first commit that contains `file`. Returns none if there is no such commit.
 */
export function subjectsOf(root: string, range: string, file: string): { hash: string; subject: string }[] {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const first = git('log', '--diff-filter=A', '--format=%H', '--', file).stdout.trim().split('\n').at(-1);
  if (first === undefined || first === '') return [];
  const since = git('rev-parse', '--verify', '--quiet', `${first}^`).status === 0 ? [`^${first}^`] : [];
  const listed = (of: string) => git('log', '--no-merges', '--format=%H %s', of, ...since, '--');
  const asked = listed(range);
  const { stdout } = asked.status === 0 ? asked : listed('HEAD');
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ hash: line.slice(0, 40), subject: line.slice(41) }));
}

function main(): number {
  answerHelp(`Usage: pnpm subjects:check [RANGE]

Checks the subjects of commits: "area: verb object", at most ${MOST_CHARACTERS} characters. RANGE is a range of git, such
as main..HEAD, by default the variable COMMIT_RANGE. Without one, and when this clone does not have it, all commits of
HEAD are checked.

Exit code: 0 in order, 1 a problem.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const subjects = subjectsOf(
    root,
    process.argv[2] ?? process.env.COMMIT_RANGE ?? 'HEAD',
    'scripts/check-subjects.ts',
  );
  const problems = subjects.flatMap(({ hash, subject }) => {
    const problem = problemOf(subject);
    return problem === undefined ? [] : [`${hash.slice(0, 10)} ${JSON.stringify(subject)} ${problem}`];
  });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `subjects: ${subjects.length} commits: ${problems.length === 0 ? 'in order' : `${problems.length} problems`}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
