import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestBase64 } from '../digest.ts';
import { Failure } from '../error.ts';
import { checkDigest, declaredDigest } from './content-digest.ts';

function declared(...fields: string[]): string | undefined {
  return declaredDigest({ headers: new Map(fields.length === 0 ? [] : [['content-digest', fields]]) });
}

test('the last SHA-256 counts, and other algorithms are ignored', () => {
  assert.equal(declared(), undefined);
  assert.equal(declared('sha-512=:AAAA:, *x.y_z-1=::'), undefined);
  assert.equal(declared('sha-256=:AAAA:'), 'AAAA');
  assert.equal(declared('sha-256=:AAAA:\t, sha-512=:AA==:', 'sha-256=:AAA=:'), 'AAA=');
});

test('a header that is not a list of byte sequences is refused', () => {
  const unclosed = ['', ',', 'sha-256=:AAAA:,', 'sha-256', 'sha-256=', 'sha-256=AAAA', 'sha-256=:AAAA'];
  const values = [
    'sha-256=:AAA:',
    'sha-256=:A===:',
    'sha-256=:AA=A:',
    'sha-256=:AA-_:',
    'sha-256=:AAAA:;q=1',
  ];
  const keys = ['SHA-256=:AAAA:', '1a=:AAAA:', 'sha-256 =:AAAA:', 'sha-256= :AAAA:', '=:AAAA:'];
  for (const bad of [...unclosed, ...values, ...keys]) {
    assert.throws(
      () => declared(bad),
      (error) => error instanceof Failure && error.code === 'bad_request',
      bad,
    );
  }
});

test('a digest has exactly one accepted form', () => {
  const digest = new Uint8Array(32);
  checkDigest(undefined, digest);
  checkDigest(digestBase64(digest), digest);
  for (const other of ['', 'AAAA', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=']) {
    assert.throws(() => checkDigest(other, digest), /digest_mismatch/, other);
  }
});
