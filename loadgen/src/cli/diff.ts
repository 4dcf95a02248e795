/**
 * `pnpm bench:diff A B`: compares two results.
 *
 * Invariants: a difference is no failure unless agreement is required; a file that is no result of this version is
 * refused with a sentence instead of being read half.
 */
import { diffResults } from '../analyse/diff.ts';
import { parseCommand, type Usage } from '../plan/parse.ts';
import { terminalDiff } from '../report/diff.ts';
import { readResult } from '../result/result-file.ts';
import { runCommand } from './run-command.ts';

const DIFF: Usage<'diff'> = {
  name: 'diff',
  words: ['A.json', 'B.json'],
  about: `Compares two results of pnpm bench:compare: what changed from A to B, and whether both report the same of Rust over
TypeScript.`,
  exit: 'Exit: 0 compared, 2 a flag or a file is wrong, 3 agreement was required and is not there.',
};

const parsed = parseCommand(DIFF, process.argv.slice(2), (values) => values);
process.exitCode = await runCommand('diff', parsed, async ({ words, json, requireAgreement }) => {
  const found = await Promise.all(words.map((file) => readResult(file)));
  const refused = [...new Set(found.filter((one) => typeof one === 'string'))];
  if (refused.length > 0) {
    process.stderr.write(refused.map((problem) => `bench:diff: ${problem}\n`).join(''));
    return 2;
  }
  const [a, b] = found.filter((one) => typeof one !== 'string');
  const diff = diffResults(a!, b!);
  process.stdout.write(json ? `${JSON.stringify(diff, null, 2)}\n` : terminalDiff(diff));
  if (!requireAgreement || diff.summary.agree) return 0;
  process.stderr.write('The results do not agree.\n');
  return 3;
});
