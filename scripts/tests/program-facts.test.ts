/** Tests which lines of the four servers count as code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countLines } from '../program-facts.ts';

test('a line counts when it has code', () => {
  const typescript = '/**\n * Says why.\n */\nconst a = 1; // one\n\n  // two\n  a();\n/* b */\n';
  assert.equal(countLines(typescript, 'a.ts'), 2);
  const rust = '//! Why.\nfn a() {\n}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n';
  assert.equal(countLines(rust, 'a.rs'), 2);
  assert.equal(countLines('-- Why.\nSELECT 1\n', 'a.sql'), 1);
});
