import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../contract.ts';
import { CookieKey } from './cookie.ts';

const NOW_S = 1_790_000_000;
/** The same value as in the tests of server-rs. */
const ISSUED =
  'ingest_session_3141=1790604800.09a211d9eee66e2679ebb21596c73b851e3040eb561b0381b970683dfec63ece; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800';
const key = new CookieKey('correct-horse-battery+staple');

test('a cookie holds its port, its expiry and a MAC', () => {
  assert.equal(key.issue(3141, NOW_S), ISSUED);
});

test('a cookie is valid until its expiry', () => {
  const cookie = key.issue(3141, NOW_S);
  const admits = (nowS: number) => key.admits(cookie, 3141, nowS);
  assert.deepEqual([admits(NOW_S), admits(NOW_S + LIMITS.session_cookie_s - 1)], [true, true]);
  assert.equal(admits(NOW_S + LIMITS.session_cookie_s), false);
  assert.equal(admits(NOW_S + LIMITS.session_cookie_s + 1), false);
});

test('a cookie of another port or token, or with another expiry, is not valid', () => {
  const cookie = key.issue(3141, NOW_S);
  assert.equal(key.admits(cookie, 3142, NOW_S), false);
  assert.equal(key.admits(cookie.replace('_3141', '_3142'), 3142, NOW_S), false);
  assert.equal(key.admits(cookie.replace('=179', '=279'), 3141, NOW_S), false);
  assert.equal(new CookieKey('another-token-of-length').admits(cookie, 3141, NOW_S), false);
  for (const broken of ['', '.', 'x', '1790604800', '1790604800.', '99999999999999999999999.0']) {
    assert.equal(key.admits(`ingest_session_3141=${broken}`, 3141, NOW_S), false, broken);
  }
});
