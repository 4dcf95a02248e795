import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachmentName, disposition, mediaType } from './attachment-names.ts';

test('an attachment name is one path segment', () => {
  const cases: [encoded: string, name: string][] = [
    ['a.txt', 'a.txt'],
    ['a%20b%25', 'a b%'],
    ['a+b', 'a+b'],
    ['...', '...'],
    ['%C3%A9', 'é'],
    ['%252F', '%2F'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ];
  for (const [encoded, name] of cases) assert.equal(attachmentName(encoded), name);
  const segments = ['.', '..', '%2E%2e', 'a%2Fb', 'a%5Cb', 'x'.repeat(256), '%C3%A9'.repeat(128)];
  const bytes = ['a%00', '%1F', '%7F', '%C2%80', '%C2%9F', '%', '%ff', '%ED%A0%80'];
  for (const bad of [...segments, ...bytes])
    assert.throws(() => attachmentName(bad), /invalid_parameter/, bad);
});

test('a media type has no parameters and no upper case', () => {
  const typeOf = (...values: string[]): string => mediaType({ headers: new Map([['content-type', values]]) });
  const long = `a/${'b'.repeat(125)}`;
  const cases: [value: string, expected: string][] = [
    ['text/plain', 'text/plain'],
    ['Text/HTML; charset=utf-8;', 'text/html'],
    ['image/svg+xml ;a', 'image/svg+xml'],
    [long, long],
  ];
  for (const [value, expected] of cases) assert.equal(typeOf(value), expected);
  const others = ['', 'text', 'text/', '/plain', 'a/b/c', 'a b/c', 'a/b, c/d', '*', 'é/x', `${long}b`];
  for (const bad of others) assert.throws(() => typeOf(bad), /unsupported_media_type/, bad);
  assert.throws(() => typeOf('a/b', 'a/b'), /unsupported_media_type/);
  assert.equal(mediaType({ headers: new Map() }), 'application/octet-stream');
});

test('a disposition has both forms of a name that is not ASCII', () => {
  const cases: [name: string, type: string, expected: string][] = [
    ['a b.png', 'image/png', 'inline; filename="a b.png"'],
    ['a.svg', 'image/svg+xml', 'attachment; filename="a.svg"'],
    ['a"%.txt', 'text/html', `attachment; filename="a__.txt"; filename*=UTF-8''a%22%25.txt`],
    ["é'(😀)", 'image/webp', `inline; filename="_'(_)"; filename*=UTF-8''%C3%A9%27%28%F0%9F%98%80%29`],
  ];
  for (const [name, type, expected] of cases) assert.equal(disposition(name, type), expected);
});
