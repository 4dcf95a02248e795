/**
 * Runs the commands of README.md in a fresh clone, those that take minutes left out. readme.night.ts runs all of them.
 *
 * `pnpm packages:test` packs first.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sectionsOf, uselessRules } from './readme/blocks.ts';
import { runReadme } from './readme/run.ts';
import { type Installation, startInstallation } from './registry/installation.ts';

let installation: Installation;
before(async () => {
  installation = await startInstallation();
});
after(async () => await installation?.remove());

test('the commands of the README run in a fresh clone, block by block, and leave it clean', async (t) => {
  const ran = await runReadme(installation, { isNight: false, say: (line) => t.diagnostic(line) });
  assert.ok(ran.length >= 8, ran.join('\n'));
});

test('the commands of a section are the lines of its sh blocks, and a rule without its command is reported', () => {
  const sections = sectionsOf(
    '# A\n```sh\none   # first\n# only words\ntwo --a \\\n  --b "#c"\n```\n## B\n```ts\nno\n```\n## C\n```sh\nthree\n```\n',
  );
  assert.deepEqual(sections, [
    { title: '# A', commands: ['one', 'two --a --b "#c"'] },
    { title: 'C', commands: ['three'] },
  ]);
  const rule = { kind: 'night', reason: 'long' } as const;
  const rules = ['one', 'four', 'one'].map((command) => ({ ...rule, command }));
  assert.deepEqual(uselessRules(sections, rules), ['the README has no command four', 'two rules for one']);
});
