/** Tests which changes of the page are notifications. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row, Session } from '../src/api.ts';
import { budgetText, type Observed, PageNotices } from '../src/notify/notices.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 27, 8, minute)).toISOString();

function observed(id: string, own: Partial<Session> = {}): Observed {
  const session = {
    id,
    waiting_reason: null,
    waiting_since: null,
    started_at: at(0),
    live_at: at(0),
    ended_at: null,
    ...own,
  } as Session;
  const needsAnswer = ['permission', 'question'].includes(session.waiting_reason ?? '');
  return { session, needsAnswer, title: `title of ${id}`, ask: 'asks' };
}

const waits = (id: string, minute: number, reason = 'permission') =>
  observed(id, {
    waiting_reason: reason,
    waiting_since: at(minute),
    live_at: at(minute),
  } as Partial<Session>);

test('a session that begins to wait is news once, and not when the page begins', () => {
  const notices = new PageNotices();
  assert.deepEqual(notices.ofSessions([waits('a', 0)]), []);
  assert.deepEqual(notices.ofSessions([waits('a', 0)]), []);
  const [found, ...others] = notices.ofSessions([waits('a', 0), waits('b', 1)]);
  assert.deepEqual(others, []);
  assert.deepEqual([found?.text, found?.session], ['title of b: asks', 'b']);
  assert.deepEqual(notices.ofSessions([waits('a', 0), waits('b', 1)]), []);
  assert.equal(notices.ofSessions([waits('a', 2), waits('b', 1)]).length, 1, 'another wait of a session');
});

test('long work that ends is news, and short work is not', () => {
  const notices = new PageNotices();
  const done = (minute: number) => waits('a', minute, 'turn_finished');
  const works = (minute: number) => observed('a', { live_at: at(minute) });
  assert.deepEqual(notices.ofSessions([done(0)]), []);
  assert.deepEqual(notices.ofSessions([works(10)]), []);
  assert.deepEqual(notices.ofSessions([done(15)]), [], 'five minutes are not longer than five');
  assert.deepEqual(notices.ofSessions([works(20)]), []);
  assert.deepEqual(
    notices.ofSessions([done(26)]).map(({ text }) => text),
    ['title of a: finished after 6 min'],
  );
  assert.deepEqual(notices.ofSessions([observed('a', { ended_at: at(59), live_at: at(59) })]), []);
  assert.deepEqual(notices.ofSessions([observed('b', { started_at: at(0), live_at: at(1) })]), []);
  const ended = observed('b', { ended_at: at(30), live_at: at(30) });
  assert.equal(notices.ofSessions([ended]).length, 1, 'a session that ends without a wait');
  const imported = (own: Partial<Session>) => observed('c', { started_at: at(-9999), live_at: null, ...own });
  assert.deepEqual(notices.ofSessions([imported({})]), []);
  assert.deepEqual(notices.ofSessions([imported({ ended_at: at(-99) })]), [], 'an import is no work');
  assert.deepEqual(notices.ofSessions([imported({ live_at: at(40) })]), [], 'it is resumed');
  assert.equal(notices.ofSessions([imported({ live_at: at(44), ended_at: at(44) })]).length, 0);
});

test('an event of the type error is news once in five minutes for each session', () => {
  const notices = new PageNotices();
  const row = (id: number, minute: number, own: Partial<Row> = {}) =>
    ({ id, session_id: 'a', event_type: 'error', time: at(minute), history: false, ...own }) as Row;
  const of = (...rows: Row[]) => notices.ofFailures(rows, (id) => id).map(({ tag }) => tag);
  assert.deepEqual(of(row(1, 0)), []);
  assert.deepEqual(of(row(3, 1, { event_type: 'tool_use' }), row(2, 1), row(1, 0)), ['failed 2']);
  assert.deepEqual(of(row(4, 5)), []);
  assert.deepEqual(of(row(5, 6), row(6, 6, { session_id: 'b' })), ['failed 5', 'failed 6']);
  assert.deepEqual(of(row(7, 0, { session_id: 'c', history: true })), [], 'history is no news');
});

test('a day above the budget is news once', () => {
  const notices = new PageNotices();
  const budget = (day: string, cost_usd: number) =>
    notices.ofBudget({ day, usd_day: 10, cost_usd, unpriced_tokens: 0 }).length;
  assert.equal(notices.ofBudget(null).length, 0);
  assert.deepEqual(
    [budget('1', 10), budget('1', 10.01), budget('1', 11), budget('2', 1), budget('2', 12)],
    [0, 1, 0, 0, 1],
  );
  assert.equal(
    new PageNotices().ofBudget({ day: '1', usd_day: 1, cost_usd: 2, unpriced_tokens: 0 }).length,
    0,
    'no news at first',
  );
  assert.equal(budgetText({ usd_day: 10, cost_usd: 3.2 } as never), '3.20 of 10.00 USD today');
});
