/**
 * Puts the table of the last accepted comparison into the README; with `--check` only says whether it is there.
 *
 * No figure in the README is typed by hand: this is the one way in.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { readmeTable } from '../loadgen/src/export/markdown.ts';
import type { Result } from '../loadgen/src/result.ts';
import { ROOT } from '../parity-tests/src/targets.ts';

const README = `${ROOT}README.md`;
const BEGIN = /<!-- result: [^>]*-->\n/;
const END = '<!-- /result -->';

const readme = readFileSync(README, 'utf8');
const begin = BEGIN.exec(readme);
const end = readme.indexOf(END);
if (begin === null || end < 0) throw new Error('the README has lost its result markers');
const result = JSON.parse(readFileSync(`${ROOT}benchmark-results.json`, 'utf8')) as Result;
const updated = `${readme.slice(0, begin.index + begin[0].length)}\n${readmeTable(result)}\n${readme.slice(end)}`;
if (process.argv.includes('--check')) {
  if (updated !== readme) {
    process.stderr.write(
      'the README does not show benchmark-results.json; run `node scripts/update-readme.ts`\n',
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(README, updated);
}
