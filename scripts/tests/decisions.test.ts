/** Tests `docs/decisions`: one page per decision, and all of them in the table of contents. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');
const PAGES = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .sort();
const ROWS = [...read('README.md').matchAll(/^- (\d+) \[(.+)\]\((.+?)\): (.+)$/gm)].map(
  ([, number, title, name, about]) => ({ number: number!, title: title!, name: name!, about: about! }),
);

test('the table of contents lists every decision exactly once', () => {
  assert.deepEqual(ROWS.map(({ name }) => name).sort(), PAGES);
});

test('a line of the table of contents has the number and title of its page, and at most 20 words', () => {
  for (const { number, title, name, about } of ROWS) {
    assert.equal(read(name).split('\n')[0], `# ${number}. ${title}`);
    assert.equal(name.slice(0, 5), `${number.padStart(4, '0')}-`);
    assert.ok(about.split(' ').length <= 20, about);
  }
});

test('a decision has at most 60 lines', () => {
  for (const name of PAGES) assert.ok(read(name).split('\n').length - 1 <= 60, name);
});
