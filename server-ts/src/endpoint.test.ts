import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Endpoint, isEndpointUrl, parseSecret } from './endpoint.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('urls of http and https are accepted', () => {
  const urls = [
    'http://127.0.0.1:8080/hook?a=1&b=%20',
    'https://example.org',
    'HTTPS://Example.org/A',
    'http://[::1]:65535/',
    'http://a_b.example?x',
  ];
  for (const url of urls) assert.ok(isEndpointUrl(url), url);
  const wrong = [
    '',
    'example.org',
    'ftp://example.org',
    'file:///etc/passwd',
    'http://',
    'http:///path',
    'http://user@example.org/',
    'http://user:password@example.org/',
    'http://example.org/#part',
    'http://example.org:0/',
    'http://example.org:/',
    'http://example.org:65536/',
    'http://example.org:+80/',
    'http://[::1/',
    'http://[::zz]/',
    'http://[::1]x/',
    'http://exa mple.org/',
    'http://example.org/\u00e9',
    'http://example.org/a\nb',
    `http://example.org/${'a'.repeat(2048)}`,
  ];
  for (const url of wrong) assert.ok(!isEndpointUrl(url), url);
});

test('a secret is base64 of 24 to 64 bytes', () => {
  const of = (count: number) => `whsec_${Buffer.alloc(count, 7).toString('base64')}`;
  assert.equal(parseSecret(of(24))?.length, 24);
  assert.equal(parseSecret(of(64))?.length, 64);
  for (const text of [of(23), of(65), 'whsec_', SECRET.slice('whsec_'.length), SECRET.slice(0, -1)]) {
    assert.equal(parseSecret(text), undefined, text);
  }
});

test('the signature is that of the specification, and no log shows the secret', () => {
  // The example of the reference libraries of Standard Webhooks.
  const endpoint = new Endpoint('http://127.0.0.1/', parseSecret(SECRET)!);
  const signature = endpoint.sign('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  assert.ok(!inspect(endpoint, { depth: 5 }).includes('MfKQ'));
});
