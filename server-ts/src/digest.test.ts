import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestBase64, digestHex, parseDigest } from './digest.ts';

/** The digest of an empty input (FIPS 180-4). */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('a digest name has 64 lower-case digits', () => {
  assert.equal(digestHex(parseDigest(EMPTY)!), EMPTY);
  const others = [
    '',
    EMPTY.slice(1),
    `${EMPTY}0`,
    EMPTY.toUpperCase(),
    EMPTY.replace('e', 'g'),
    `${EMPTY}\n`,
  ];
  for (const bad of [...others, 'é'.repeat(32)]) assert.equal(parseDigest(bad), undefined, bad);
});

test('a base64 digest ends with padding', () => {
  assert.equal(digestBase64(parseDigest(EMPTY)!), '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
  assert.equal(digestBase64(new Uint8Array(32).fill(0xff)), `${'/'.repeat(42)}8=`);
});
