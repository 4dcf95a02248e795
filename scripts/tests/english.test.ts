/** Plain English: sentences, the glossary, the prose of sources, exceptions. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkFile, chosen, type Data, MOST_EXCEPTIONS, without } from '../check-english.ts';

const DATA: Data = {
  words: 5,
  glossary: [
    { avoid: ['someone'], write: 'the component' },
    { avoid: ['in\\s+step'], write: 'in sync' },
  ],
  markdown: { generated: ['docs/made.md'], pending: ['docs/later.md'] },
  sources: { folders: ['scripts'] },
  exceptions: [],
};
const found = async (file: string, text: string) =>
  (await checkFile(file, text, DATA)).map(({ line, rule }) => `${line} ${rule}`);

test('a sentence that is too long is reported at its line', async () => {
  assert.deepEqual(
    await found('a.md', 'One two three four five.\n\nOne two three. One\ntwo three four five six.'),
    ['3 sentence'],
  );
});

test('inline code counts as one word, and addresses of links count as none', async () => {
  assert.deepEqual(await found('a.md', 'One `a b c d e` [two](http://x/a%20b) three four.'), []);
  assert.deepEqual(await found('a.md', 'One `a` [two](http://x) three four six.'), ['1 sentence']);
});

test('tables, blocks of code and inline code are not checked', async () => {
  assert.deepEqual(
    await found('a.md', '| a |\n| - |\n| someone a b c d e |\n\n```\nsomeone\n```\n\n`someone`'),
    [],
  );
});

test('a term of the glossary is found in any case and across the end of a line', async () => {
  assert.deepEqual(await found('a.md', '# Someone\n\nServers stay in\nstep.'), ['1 glossary', '3 glossary']);
  assert.deepEqual(await found('a.md', 'Instep, someones.'), []);
});

test('comments and names of tests are checked at their lines, code and strings are not', async () => {
  const source = [
    '/** Someone. */',
    "const someone = 'someone'; // Someone.",
    '// One two three.',
    '// One two three four.',
    "test('someone', () => {});",
    '/*',
    ' * One two three four',
    ' * five six.',
    ' */',
  ].join('\n');
  assert.deepEqual(await found('a.ts', source), ['1 glossary', '2 glossary', '5 glossary', '7 sentence']);
});

test('names of Rust tests are checked as words', async () => {
  const source = '/// Someone.\n#[tokio::test]\nasync fn one_two_three_four_five_six() {}\nfn someone() {}';
  assert.deepEqual(await found('a.rs', source), ['1 glossary', '3 sentence']);
});

test('documents are chosen but for generated and pending ones, sources by their folders', () => {
  const files = ['README.md', 'docs/made.md', 'docs/later.md', 'scripts/a.ts', 'scripts/a.json', 'cli/a.ts'];
  assert.deepEqual(chosen(files, DATA), ['README.md', 'scripts/a.ts']);
});

test('an exception covers the problems of its place, and one that covers nothing is a fault', async () => {
  const problems = await checkFile('a.md', 'Someone asks.\n\nAsk someone.', DATA);
  const exceptions = [
    { file: 'a.md', words: 'Someone asks', reason: 'a quotation' },
    { file: 'b.md', words: 'Someone asks', reason: 'a quotation' },
  ];
  const result = without(problems, exceptions);
  assert.deepEqual(
    result.problems.map(({ line }) => line),
    [3],
  );
  assert.equal(result.faults.length, 1);
  assert.equal(without(problems, Array(MOST_EXCEPTIONS + 1).fill(exceptions[0])).faults.length, 1);
});

test('every pattern of the glossary is a regular expression, and every exception has a reason', () => {
  const data = JSON.parse(readFileSync(new URL('../english.json', import.meta.url), 'utf8')) as Data;
  for (const { avoid } of data.glossary) for (const pattern of avoid) assert.ok(new RegExp(pattern), pattern);
  for (const { reason } of data.exceptions) assert.ok(reason.length > 10);
  assert.equal(data.words, 30);
});
