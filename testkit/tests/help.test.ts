/** Tests that a help text fits the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitted } from '../src/process/help.ts';

const TEXT = `Usage: tool [flags]

Says what holds, in two lines of prose that are
broken where the source was broken.

  one        the first row of a table, whose
             second line continues it
  --flag N   a flag
`;

test('a help text that fits, or has no terminal, is unchanged', () => {
  for (const columns of [undefined, 0, 200]) assert.equal(fitted(TEXT, columns), TEXT);
});

test('in a narrow terminal prose is filled, and a second column stays a column', () => {
  const narrow = fitted(TEXT, 40);
  assert.equal(
    narrow,
    `Usage: tool [flags]

Says what holds, in two lines of prose
that are broken where the source was
broken.

  one        the first row of a table,
             whose second line continues
             it
  --flag N   a flag
`,
  );
  for (const columns of [20, 30, 50, 60])
    assert.ok(
      fitted(TEXT, columns)
        .split('\n')
        .every((line) => line.length <= columns),
      String(columns),
    );
});

test('a second column that would be narrow starts on a line of its own', () => {
  const row = `  --flag VALUE${' '.repeat(20)}what the flag does, in some words\n`;
  assert.equal(fitted(row, 40), '  --flag VALUE\n      what the flag does, in some words\n');
});

test('a word that is wider than the terminal stays whole', () => {
  assert.equal(fitted(`  ${'x'.repeat(30)} y`, 20), `  ${'x'.repeat(30)} y`);
});
