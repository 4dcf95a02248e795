/** Tests the parts of redaction with the same inputs as server-rs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Automaton } from './automaton.ts';
import { Redaction } from './index.ts';
import { redactJson } from './json-text.ts';
import { Patterns } from './patterns.ts';
import { CLASS_NAMES, parseRedaction } from './rules.ts';
import { RedactionStream } from './stream.ts';

function redactionOf(file: object): Redaction {
  const rules = parseRedaction(JSON.stringify(file));
  assert.ok('keys' in rules, JSON.stringify(rules));
  return new Redaction(rules);
}

function patternsOf(
  ...list: readonly (readonly [prefix: string, name: string, minimum: number])[]
): Patterns {
  return new Patterns(
    list.map(([prefix, name, minimum]) => ({ prefix, class: CLASS_NAMES.indexOf(name), minimum })),
  );
}

test('the automaton finds every occurrence of every word', () => {
  const words = ['he', 'she', 'his', 'hers', 'E'];
  const automaton = new Automaton(words.map((word) => Buffer.from(word)));
  const found: [string, number][] = [];
  automaton.eachMatch(Buffer.from('-ushersE'), 1, 8, (word, end) => found.push([words[word]!, end]));
  const expected = [['she', 5], ['he', 5], ['hers', 7], ['E', 8]]; // biome-ignore format: one line
  assert.deepEqual(found, expected);
  assert.equal(automaton.isMatch(Buffer.from('hi SHE'), 0, 5), false);
  const folded = new Automaton([Buffer.from('sHe\u00c9')], true);
  assert.equal(folded.isMatch(Buffer.from('xSHe\u00c9'), 0, 6), true);
  assert.equal(folded.isMatch(Buffer.from('xSHe\u00e9'), 0, 6), false);
});

test('the longest run of every match counts', () => {
  const found = patternsOf(['sk-', 'digits', 2], ['sk-a', 'hex', 2], ['a!b', 'alphanumeric', 1]);
  for (const [text, expected] of [
    ['', []],
    ['sk-1', []],
    ['sk-12', [[0, 5]]],
    ['é sk-123x sk-abc', [[3, 9], [11, 17]]], // biome-ignore format: one line
    ['sk-12sk-34', [[0, 10]]],
    ['sk-sk-12', [[3, 8]]],
    ['a!bxa!by!', [[0, 8]]],
    ['a!b!a!b', []],
  ] as const) {
    const bytes = Buffer.from(text);
    assert.deepEqual(found.spans(bytes, 0, bytes.length), expected, text);
  }
});

test('the time to find matches is linear in the length', () => {
  const found = patternsOf(['a', 'alphanumeric', 256], ['aaaaaaaa', 'alphanumeric', 256]);
  const bytes = Buffer.alloc(4 << 20, 'a');
  const begun = performance.now();
  assert.deepEqual(found.spans(bytes, 0, bytes.length), [[0, bytes.length]]);
  assert.ok(performance.now() - begun < 5000);
});

test('only values of keys and matches change in JSON text', () => {
  const redaction = redactionOf({
    keys: ['Password', 'a/"b'],
    patterns: [
      { prefix: 'sk-', class: 'base64url', minimum: 8 },
      { prefix: '/x"', class: 'digits', minimum: 8 },
    ],
  });
  for (const [text, expected] of [
    ['{"passwords":"x","a":1.50}', undefined],
    ['{ "PASSword" : {"a":[1]} , "b":2}', '{ "PASSword" : "[redacted]" , "b":2}'],
    [String.raw`[[{"p\u0061ssword":null}]]`, String.raw`[[{"p\u0061ssword":"[redacted]"}]]`],
    ['"sk-12345678 é sk-1234"', '"[redacted] é sk-1234"'],
    [String.raw`["\ud800s\u006B-1234\u00355678\u00e9"]`, String.raw`["\ud800[redacted]\u00e9"]`],
    [String.raw`["\/x\"12345678"]`, '["[redacted]"]'],
    [String.raw`["sk-\u0100345678901","sk-\n345678901"]`, undefined],
    [String.raw`{"password":"[redacted]","\ud800":1}`, undefined],
    ['[[],{},"",12345]', undefined],
  ] as const) {
    const bytes = Buffer.from(`x${text}x`);
    const redacted = redactJson(redaction, bytes, 1, bytes.length - 1);
    assert.equal(redacted?.toString(), expected, text);
  }
});

test('the result of a stream does not depend on the chunks', () => {
  const redaction = redactionOf({
    patterns: [
      { prefix: 'sk-', class: 'base64url', minimum: 8 },
      { prefix: 'a!b', class: 'alphanumeric', minimum: 7 },
      { prefix: '!', class: 'hex', minimum: 9 },
    ],
  });
  const long = 'x'.repeat(500);
  for (const [text, expected] of [
    ['', ''],
    ['nothing here', 'nothing here'],
    ['sk-12345678', '[redacted]'],
    ['sk-1234567', 'sk-1234567'],
    ['1 sk-12345678! 2 sk-abcdefghi 3', '1 [redacted]! 2 [redacted] 3'],
    [`sk-${long}.sk-${long}sk-${long}`, '[redacted].[redacted]'],
    ['sk-12345678!123456789.', '[redacted].'],
    ['a!b12345678a!b1234567!0', '[redacted]!0'],
    ['sk-sk-sk-sk-sk-', '[redacted]'],
    ['sk-12345678é', '[redacted]é'],
  ] as const) {
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, 11, 64, 4096]) {
      const stream = new RedactionStream(redaction);
      const out: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size)
        out.push(stream.take(bytes.subarray(at, at + size), false));
      out.push(stream.take(Buffer.alloc(0), true));
      assert.equal(Buffer.concat(out).toString(), expected, `${text} by ${size}`);
      assert.equal(stream.hasMatches, text !== expected);
    }
  }
});
