import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownRevisions } from '../src/http/etag.ts';

const EPOCH = '0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab';
const tag = (revision: number | string, weak = 'W/') => `${weak}"${EPOCH}-${revision}"`;

test('the tags of If-None-Match are a list, compared weakly', () => {
  for (const [fields, expected] of [
    [[], []],
    [[tag(7)], ['7']],
    [[tag(7, '')], ['7']],
    [
      [tag(7), tag(8, '')],
      ['7', '8'],
    ],
    [[`"a,b" ,\t${tag(7)} , ${tag(9)}`], ['7', '9']],
    [[`,, ${tag(7)},`], ['7']],
    [['"\x80é"', tag(7)], ['7']],
    [['"other-7"'], []],
    [['""'], []],
    [['*'], 'any'],
    [[' * '], 'any'],
  ] as const) {
    assert.deepEqual(knownRevisions(fields, EPOCH), expected, fields.join('|'));
  }
});

test('a malformed list of tags names no tag', () => {
  for (const field of [
    `${EPOCH}-7`,
    `w/"${EPOCH}-7"`,
    `W/ "${EPOCH}-7"`,
    `"${EPOCH}-7`,
    `${tag(7)} ${tag(7)}`,
    `${tag(7)}, nothing`,
    `${tag(7)} "`,
    `*, ${tag(7)}`,
    '*, *',
    `" ${EPOCH}", ${tag(7)}`,
  ]) {
    assert.deepEqual(knownRevisions([field], EPOCH), [], field);
  }
});

test('a long field takes linear time', () => {
  const field = `"a",${' '.repeat(30_000)}x`;
  // Measured in processor time, which other programs do not affect; quadratic cost would take far more.
  const started = process.cpuUsage();
  for (let n = 0; n < 20; n++) assert.deepEqual(knownRevisions([field], EPOCH), []);
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});
