/** Tests the login code: valid once, until its expiry, and only the newest (rule SEC-09). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../contract.ts';
import { LoginCode } from './login.ts';

const NOW_S = 1_790_000_000;

test('a code is valid once', () => {
  const codes = new LoginCode();
  assert.equal(codes.take('', NOW_S), false, 'no code was issued');
  const code = codes.issue(NOW_S);
  assert.match(code, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(codes.take('x', NOW_S) || codes.take(code.slice(1), NOW_S), false);
  assert.equal(codes.take(code, NOW_S), true, 'a wrong code leaves it valid');
  assert.equal(codes.take(code, NOW_S), false);
});

test('a code expires', () => {
  const codes = new LoginCode();
  const code = codes.issue(NOW_S);
  assert.equal(codes.take(code, NOW_S + LIMITS.login_code_s), false);
  assert.equal(codes.take(code, NOW_S + LIMITS.login_code_s - 1), true);
});

test('a new code replaces the earlier one', () => {
  const codes = new LoginCode();
  const [first, second] = [codes.issue(NOW_S), codes.issue(NOW_S)];
  assert.notEqual(first, second);
  assert.equal(codes.take(first, NOW_S), false);
  assert.equal(codes.take(second, NOW_S), true);
});
