/** Tests the judge with invented histories: one that is sound, and one for each violation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttachmentPlace, Entry, Row } from '../src/check/history.ts';
import { Judge, judge } from '../src/check/judge.ts';
import type { Property } from '../src/check/property.ts';

const NODES = ['a', 'b'];
const A: Row = [1, 'x', 'd1'];
const B: Row = [2, 'y', 'd2'];

const begin: Entry = { kind: 'begin', seed: 1, faults: 1, members: NODES };
const sent = (request: number, node: string, ...event_ids: string[]): Entry => ({
  kind: 'sent',
  request,
  node,
  copy: 0,
  event_ids,
});
const acknowledged = (request: number, ids: readonly number[], duplicates = 0): Entry => ({
  kind: 'acknowledged',
  request,
  ids,
  duplicates,
});
const unknown = (request: number): Entry => ({ kind: 'unknown', request, why: '503 cluster_unavailable' });
const streamed = (id: number, event_id: string): Entry => ({ kind: 'streamed', node: 'a', id, event_id });
const copy = (node: string, rows: readonly Row[], after = 0, upto = 2): Entry => ({
  kind: 'copy',
  node,
  after,
  upto,
  rows,
});
const checked = (upto = 2, statistics: Readonly<Record<string, string>> = { a: 's', b: 's' }): Entry => ({
  kind: 'checked',
  upto,
  statistics,
});
const attaching = (place: AttachmentPlace, sha256: string): Entry => ({
  kind: 'attaching',
  node: 'b',
  place,
  sha256,
});
const attached = (place: AttachmentPlace): Entry => ({ kind: 'attached', node: 'b', place });
const attachments = (node: string, ...found: [AttachmentPlace, string][]): Entry => ({
  kind: 'attachments',
  node,
  found,
});
const asked = (read: number, node: string, ofCopy = 0, min_seq?: number): Entry => ({
  kind: 'asked',
  read,
  node,
  copy: ofCopy,
  min_seq,
});
const read = (number: number, newest: number, total: number): Entry => ({
  kind: 'read',
  read: number,
  newest,
  total,
});

/** Two events, each sent to another node. */
const SENT = [begin, sent(1, 'a', 'x'), acknowledged(1, [1]), sent(2, 'b', 'y'), acknowledged(2, [2])];
const STREAMED = [streamed(1, 'x'), streamed(2, 'y')];
const COPIES = [copy('a', [A, B]), copy('b', [A, B]), checked()];

/** Checks that a history violates this property, and no other one. */
function violates(property: Property, history: readonly Entry[], text: RegExp): void {
  const found = judge(history);
  assert.deepEqual([...new Set(found.map((one) => one.property))], [property], JSON.stringify(found));
  assert.match(found[0]!.text, text);
}

test('a sound history has no violation', () => {
  const one = new Judge();
  const whole = [copy('a', [A, B]), copy('b', [A, B]), checked()];
  for (const entry of [...SENT, ...STREAMED, ...COPIES, ...whole]) one.take(entry);
  assert.deepEqual(one.violations, []);
  const { sent: all, acknowledged: confirmed, stored, streamed: seen, checks } = one.counts;
  assert.deepEqual([all, confirmed, stored, seen, checks], [2, 2, 2, 2, 2]);
});

test('a repeated request that is recognised is sound, and so is an event without an answer', () => {
  const again = [begin, sent(1, 'a', 'x'), unknown(1), sent(2, 'b', 'x'), acknowledged(2, [], 1)];
  const late = [sent(3, 'a', 'y'), unknown(3)];
  assert.deepEqual(judge([...again, ...late, ...STREAMED, ...COPIES]), []);
  const never = [copy('a', [A]), copy('b', [A]), checked()];
  assert.deepEqual(judge([...again, ...late, streamed(1, 'x'), ...never]), []);
});

test('an acknowledged event that no copy has is lost', () => {
  const history = [...SENT, streamed(1, 'x'), copy('a', [A]), copy('b', [A]), checked()];
  violates('lost', history, /^y, which b acknowledged as 2, up to 2$/);
});

test('an event that is lost in a later check is lost', () => {
  const later = [
    sent(3, 'a', 'z'),
    acknowledged(3, [3]),
    copy('a', [], 2, 3),
    copy('b', [], 2, 3),
    checked(3),
  ];
  violates('lost', [...SENT, ...STREAMED, ...COPIES, ...later], /^z, /);
});

test('an event with another id than the acknowledged one is lost', () => {
  const other: Row = [3, 'y', 'd2'];
  const rows = [copy('a', [A, other], 0, 3), copy('b', [A, other], 0, 3), checked(3)];
  violates('lost', [...SENT, streamed(1, 'x'), streamed(3, 'y'), ...rows], /acknowledged 2.* stored as 3/);
});

test('attachments that all copies have are sound, and so is one without an acknowledgement', () => {
  const uploads = [attaching([1, 'p'], 's1'), attached([1, 'p']), attaching([2, 'q'], 's2')];
  const held = [attachments('a', [[1, 'p'], 's1']), attachments('b', [[1, 'p'], 's1'])];
  const one = new Judge();
  for (const entry of [...SENT, ...STREAMED, ...uploads, ...held, ...COPIES]) one.take(entry);
  assert.deepEqual([one.violations, one.counts.attached], [[], 1]);
});

const UPLOAD = [...SENT, ...STREAMED, attaching([1, 'p'], 's1')];

test('an acknowledged attachment that a copy lacks is a violation, also in a later check', () => {
  const upload = [...UPLOAD, attached([1, 'p'])];
  const lacking = [attachments('a', [[1, 'p'], 's1']), attachments('b')];
  violates('attached', [...upload, ...lacking, ...COPIES], /^p of 1, which b acknowledged, is not on b$/);
  const whole = [attachments('a', [[1, 'p'], 's1']), attachments('b', [[1, 'p'], 's1']), ...COPIES];
  violates('attached', [...upload, ...whole, ...lacking, ...COPIES], /is not on b$/);
  violates('attached', [...upload, ...COPIES], /is not on a$/);
});

test('an attachment that only some copies have is a violation', () => {
  const some = [attachments('a'), attachments('b', [[1, 'p'], 's1'])];
  violates('attached', [...UPLOAD, ...some, ...COPIES], /^p of 1 is on some nodes, and not on a$/);
});

test('an attachment with other bytes than the sent ones is a violation', () => {
  const other = [attachments('a', [[1, 'p'], 's1']), attachments('b', [[1, 'p'], 's2'])];
  violates('attached', [...UPLOAD, ...other, ...COPIES], /^p of 1 on b is s2, and s1 was sent$/);
});

test('a refused attachment is a violation', () => {
  const refused: Entry = { kind: 'attachment_refused', node: 'b', place: [1, 'p'], why: '404' };
  violates('refused', [...UPLOAD, refused, ...COPIES], /^1, p: 404$/);
});

test('an event on two rows is doubled', () => {
  const twice: Row = [3, 'x', 'd1'];
  const rows = [copy('a', [A, B, twice], 0, 3), copy('b', [A, B, twice], 0, 3), checked(3)];
  violates('doubled', [...SENT, ...STREAMED, streamed(3, 'x'), ...rows], /^x is stored as 1 and 3$/);
});

test('an event that was acknowledged with two ids is doubled', () => {
  const again = [sent(3, 'b', 'x'), acknowledged(3, [3])];
  violates('doubled', [...SENT, ...again, ...STREAMED, ...COPIES].slice(0, -3), /as 1 and, by b, as 3/);
});

test('an event that was not sent is foreign', () => {
  const foreign: Row = [3, 'z', 'd3'];
  const rows = [copy('a', [A, B, foreign], 0, 3), copy('b', [A, B, foreign], 0, 3), checked(3)];
  violates('foreign', [...SENT, ...STREAMED, streamed(3, 'z'), ...rows], /^z is stored as 3$/);
});

test('an id below an acknowledged one is out of order', () => {
  const history = [begin, sent(1, 'a', 'x'), acknowledged(1, [5]), sent(2, 'b', 'y'), acknowledged(2, [4])];
  violates('order', history, /^b acknowledged 4, but 5 was acknowledged before/);
});

test('concurrent requests may be acknowledged in any order', () => {
  const history = [begin, sent(1, 'a', 'x'), sent(2, 'b', 'y'), acknowledged(1, [5]), acknowledged(2, [4])];
  assert.deepEqual(judge(history), []);
});

test('descending ids of a batch, and a missing one, are out of order', () => {
  violates('order', [begin, sent(1, 'a', 'x', 'y'), acknowledged(1, [2, 1])], /^a acknowledged 2, 1$/);
  violates('order', [begin, sent(1, 'a', 'x', 'y'), acknowledged(1, [1])], /1 of 2 events/);
});

test('rows of a copy in a wrong order are out of order', () => {
  const history = [...SENT, ...STREAMED, copy('a', [B, A]), copy('b', [B, A]), checked()];
  violates('order', history, /^a has the row 1 after 2/);
});

for (const [what, rows, text] of [
  ['lacks a row', [A], /^b and a: no row is not 2 y d2$/],
  ['has other fields', [A, [2, 'y', 'other']], /^b and a: 2 y other is not 2 y d2$/],
  ['has another id', [[1, 'y', 'd2'], B], /^b and a: 1 y d2 is not 1 x d1$/],
] as const) {
  test(`a copy that ${what} is unequal`, () => {
    violates('unequal', [...SENT, ...STREAMED, copy('a', [A, B]), copy('b', rows), checked()], text);
  });
}

test('different statistics, and a copy that was not read, are unequal', () => {
  const copies = [copy('a', [A, B]), copy('b', [A, B])];
  violates(
    'unequal',
    [...SENT, ...STREAMED, ...copies, checked(2, { a: 's', b: 't' })],
    /^statistics of b and a: t is not s$/,
  );
  violates('unequal', [...SENT, ...STREAMED, copy('a', [A, B]), checked()], /^b and a: it was not read$/);
});

test('a whole copy that differs from earlier checks is unequal', () => {
  const changed: Row = [1, 'x', 'other'];
  const whole = [copy('a', [changed, B]), copy('b', [changed, B]), checked()];
  violates('unequal', [...SENT, ...STREAMED, ...COPIES, ...whole], /^a and the checks before: /);
});

test('a smaller id or a smaller number of events is backwards', () => {
  const first = [begin, asked(1, 'a'), read(1, 7, 7)];
  violates(
    'backwards',
    [...first, asked(2, 'a'), read(2, 6, 7)],
    /saw or wrote 7, and then the newest id was 6$/,
  );
  violates('backwards', [...first, asked(2, 'a'), read(2, 7, 6)], /^a counted 7 events, and then 6$/);
  assert.deepEqual(judge([...first, asked(2, 'b'), read(2, 6, 6)]), [], 'another node may be behind');
  assert.deepEqual(judge([...first, asked(2, 'a', 1), read(2, 0, 0)]), [], 'a new copy begins again');
});

test('a read that began before another one may be older', () => {
  const history = [begin, asked(1, 'a'), asked(2, 'a'), read(2, 7, 7), read(1, 6, 6)];
  assert.deepEqual(judge(history), []);
});

test('a read without what its node has acknowledged is backwards', () => {
  const history = [begin, sent(1, 'a', 'x'), acknowledged(1, [1]), asked(1, 'a'), read(1, 0, 0)];
  violates('backwards', history, /^a saw or wrote 1, /);
});

test('a client with min_seq that reads less than it knew, on whichever node, went backwards', () => {
  const first = [begin, asked(1, 'a', 0, 5), read(1, 7, 7)];
  assert.deepEqual(judge([...first, asked(2, 'b', 0, 7), read(2, 8, 8)]), []);
  violates(
    'moving',
    [...first, asked(2, 'b', 0, 7), read(2, 6, 8)],
    /min_seq saw or wrote 7, .* was 6 on b$/,
  );
  violates(
    'moving',
    [...first, asked(2, 'b', 0, 9), read(2, 8, 8)],
    /min_seq saw or wrote 9, .* was 8 on b$/,
  );
  violates(
    'moving',
    [...first, asked(2, 'b', 1, 7), read(2, 7, 6)],
    /min_seq counted 7 events, .* 6 on b \(copy 2\)$/,
  );
  assert.deepEqual(judge([...first, asked(2, 'b'), read(2, 6, 6)]), [], 'without min_seq b may be behind');
});

test('an event that is streamed twice, never, or out of order violates the stream', () => {
  violates('stream', [...SENT, ...STREAMED, streamed(2, 'y'), ...COPIES], /^a streamed 2 after 2 was seen$/);
  violates('stream', [...SENT, streamed(2, 'y'), streamed(1, 'x'), ...COPIES], /^a streamed 1 after 2/);
  violates('stream', [...SENT, streamed(2, 'y'), ...COPIES], /^x was stored as 1 and not streamed$/);
});

test('a reset for a client that moves violates the stream', () => {
  violates(
    'stream',
    [...SENT, ...STREAMED, { kind: 'reset', node: 'b', after: 2 }, ...COPIES],
    /^b answered reset to a client that had seen 2$/,
  );
});

test('a streamed event that no copy has, or with another id, violates the stream', () => {
  const early: Row = [3, 'y', 'd2'];
  const sentLate = [begin, sent(1, 'a', 'x'), acknowledged(1, [1]), sent(2, 'b', 'y'), unknown(2)];
  const rows = [copy('a', [A, early], 0, 3), copy('b', [A, early], 0, 3), checked(3)];
  violates(
    'stream',
    [...sentLate, ...STREAMED, streamed(3, 'y'), ...rows],
    /^y was streamed as 2 and is not/,
  );
  violates(
    'stream',
    [...SENT, streamed(1, 'y'), streamed(2, 'y'), ...COPIES],
    /^y was streamed as 1, which is x/,
  );
});

test('a node that accepts nothing is stuck, and a refusal is a violation', () => {
  violates('stuck', [begin, { kind: 'stuck', node: 'b', why: 'no answer' }], /^b: no answer$/);
  violates('refused', [begin, { kind: 'refused', request: 3, why: '400 x' }], /^request 3: 400 x$/);
});
