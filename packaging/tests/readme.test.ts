/**
 * Runs the commands of the README and of all other documents in a fresh clone, those that take minutes left out.
 * readme.night.ts runs all of them.
 *
 * `pnpm packages:test` packs first.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isAssignment, sectionsOf, uselessRules } from './readme/blocks.ts';
import { DOCUMENTS, documentsWithCommands, runDocuments, uselessRulesOf } from './readme/run.ts';
import { type Installation, startInstallation } from './registry/installation.ts';

let installation: Installation;
before(async () => {
  installation = await startInstallation();
});
after(async () => await installation?.remove());

test('every document with commands has rules, and each rule has its command', () => {
  assert.deepEqual(DOCUMENTS.map(({ path }) => path).toSorted(), documentsWithCommands().toSorted());
  assert.deepEqual(DOCUMENTS.flatMap(uselessRulesOf), []);
});

test('the commands of all documents run in a fresh clone, block by block, and leave it clean', async (t) => {
  const ran = await runDocuments(DOCUMENTS, installation, {
    isNight: false,
    say: (line) => t.diagnostic(line),
  });
  assert.ok(ran.length >= 60, ran.join('\n'));
});

test('the commands of a section are the lines of its sh blocks, and a rule without its command is reported', () => {
  const sections = sectionsOf(
    '# A\n```sh\none   # first\n# only words\ntwo --a \\\n  --b "#c"\none |\n  three\n```\n## B\n```ts\nno\n```\n## C\n```sh\nthree\n```\n',
  );
  assert.deepEqual(sections, [
    { title: '# A', commands: ['one', 'two --a --b "#c"', 'one | three'] },
    { title: 'C', commands: ['three'] },
  ]);
  const rule = { kind: 'night', reason: 'long' } as const;
  const rules = ['one', 'four', 'one'].map((command) => ({ ...rule, command }));
  assert.deepEqual(uselessRules(sections, rules), ['the document has no command four', 'two rules for one']);
});

test('an assignment holds for the commands after it, and a command with variables of its own is none', () => {
  for (const text of ['URL=http://127.0.0.1:1', 'export A="$(cat FILE)"', 'export B=', 'export N="a,b,$N"'])
    assert.ok(isAssignment(text), text);
  for (const text of ['A=1 ingest-server', 'export', 'echo A=1']) assert.ok(!isAssignment(text), text);
});
