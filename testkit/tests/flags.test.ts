/** Tests command-line flags: all problems are reported at once, and a bare `--` is ignored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagLines, numberOf, parseFlags } from '../src/process/flags.ts';

const TABLE = {
  speed: { value: 'N', help: 'how fast' },
  quiet: { help: 'say nothing' },
};

test('flags and words are distinguished, with or without a bare --', () => {
  const parsed = parseFlags(['--', 'one', '--speed=2', '--quiet', 'two'], TABLE);
  assert.ok(parsed.kind === 'given');
  assert.deepEqual(
    [...parsed.flags],
    [
      ['speed', '2'],
      ['quiet', ''],
    ],
  );
  assert.deepEqual(parsed.words, ['one', 'two']);
});

test('every problem is reported', () => {
  const parsed = parseFlags(['--fast', '--quiet=1', '--quiet', '--speed'], TABLE);
  assert.ok(parsed.kind === 'wrong');
  assert.deepEqual(parsed.problems, [
    'unknown flag --fast; --help lists all',
    '--quiet takes no value',
    '--quiet is given twice',
    '--speed needs a value',
  ]);
});

test('--help takes precedence over problems, and lists each flag on a line', () => {
  assert.deepEqual(parseFlags(['--fast', '--help'], TABLE), { kind: 'help' });
  assert.equal(
    flagLines(TABLE),
    '  --speed N  how fast\n  --quiet    say nothing\n  --help     print this text\n',
  );
});

test('numberOf reports a number outside its bounds and returns the fallback', () => {
  const problems: string[] = [];
  const flags = new Map([['speed', '0x10']]);
  assert.equal(numberOf(flags, 'speed', [1, 5, 10], problems), 5);
  assert.deepEqual(problems, ['--speed must be a number from 1 to 10, not 0x10']);
  assert.equal(numberOf(new Map([['speed', '10']]), 'speed', [1, 5, 10], problems), 10);
});
