import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from './budget.ts';
import { Notices } from './notices.ts';
import type { Signal, SignalKind } from './store/signals.ts';
import { findZone } from './zones.ts';

const MINUTE_MS = 60_000;

const noticesOf = (budgetCents?: number): Notices =>
  new Notices({
    origin: 'http://127.0.0.1:3141',
    epoch: 'e',
    finishMinutes: 5,
    budgetCents,
    zone: findZone('UTC')!,
  });

function signal(id: number, kind: SignalKind, minute: number): Signal {
  return {
    id,
    kind,
    reason: kind === 'waiting' ? 'permission' : null,
    at: minute * MINUTE_MS,
    key: 7,
    session_id: 'a b/\u00e9',
    agent: '{minutes}',
    project: null,
    started_at: 0,
  };
}

const idsOf = (notices: Notices, signals: readonly (readonly [number, SignalKind, number])[]) =>
  signals.flatMap((one) => notices.observe(signal(...one))?.id ?? []);

test('a wait is reported with a link to its session', () => {
  const notice = noticesOf().observe(signal(3, 'waiting', 0));
  assert.equal(notice?.id, 'msg_e_3_waiting');
  assert.equal(
    notice.body,
    '{"type":"session.waiting","timestamp":"1970-01-01T00:00:00.000Z","session":"a b/\u00e9","project":null,' +
      '"agent":"{minutes}","message":"{minutes} asks for permission",' +
      '"url":"http://127.0.0.1:3141/#/session/a%20b%2F%C3%A9"}',
  );
});

test('work that took longer than the limit is reported once', () => {
  const first = [
    [1, 'prompt', 0],
    [2, 'finished', 5],
    [3, 'prompt', 10],
    [4, 'finished', 16],
    [5, 'finished', 90],
  ] as const;
  assert.deepEqual(idsOf(noticesOf(), first), ['msg_e_4_finished']);
  // Without a known prompt the work began with the session.
  assert.deepEqual(idsOf(noticesOf(), [[9, 'finished', 6]]), ['msg_e_9_finished']);
});

test('a failure is reported once for each prompt', () => {
  const signals = [
    [1, 'failed', 0],
    [2, 'failed', 1],
    [3, 'prompt', 2],
    [4, 'failed', 30],
    [4, 'finished', 30],
    [5, 'failed', 31],
  ] as const;
  assert.deepEqual(idsOf(noticesOf(), signals), ['msg_e_1_failed', 'msg_e_4_failed', 'msg_e_5_failed']);
});

test('the budget is reported once a day', () => {
  const notices = noticesOf(1000);
  const utc = findZone('UTC')!;
  const [one, two] = [dayOf(utc, 0), dayOf(utc, 86_400_000)];
  assert.equal(notices.spend(one, 10, 0), undefined);
  const notice = notices.spend(one, 10.01, 0);
  assert.equal(notice?.id, 'msg_e_1970-01-01_budget');
  assert.match(notice.body, /"session":null/);
  assert.match(notice.body, /"10\.01 USD on 1970-01-01 is above the budget of 10\.00 USD"/);
  assert.equal(notices.spend(one, 11, 0), undefined);
  assert.notEqual(notices.spend(two, 10.5, 0), undefined);
  assert.equal(noticesOf().spend(one, 99, 0), undefined);
});
