/**
 * Tests that each command in documents, in help and in the messages of programs exists, with its flags and words.
 *
 * The commands of the README also run: packaging/tests/readme.test.ts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkIn } from '../commands/check.ts';
import { type Command, commandsOfHelp, commandsOfMarkdown, commandsOfSource } from '../commands/extract.ts';
import DATA from '../commands.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Sources whose strings users read: help, messages, hints and the texts of the dashboard. */
const SOURCES =
  /^(agent-tests|cli|client-ts|cluster|dashboard|loadgen|packaging|parity-tests|testkit|server-ts|server-rs)\/(src\/.*|build[^/]*)\.(ts|tsx|js|rs)$|^(contract\/[^/]*\.json|scripts\/[^/]*\.ts|examples\/[^/]*\.ts)$/;
/** The history names commands of its time. */
const HISTORY = 'CHANGELOG.md';

const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== HISTORY && (path.endsWith('.md') || SOURCES.test(path)));

/** Returns each command of the files with the first file that names it. */
function commandsOfFiles(): Map<string, { command: Command; path: string }> {
  const found = new Map<string, { command: Command; path: string }>();
  for (const path of FILES) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const command of path.endsWith('.md') ? commandsOfMarkdown(text) : commandsOfSource(text))
      if (!found.has(command.text)) found.set(command.text, { command, path });
  }
  return found;
}

const check = checkIn(ROOT);
const all = commandsOfFiles();
const exempt = new Set(DATA.exempt.map(({ command }) => command));

test('each command of a document or a message exists, and its program has the flags', async () => {
  assert.ok(all.size > 100, `${all.size} commands`);
  const problems: string[] = [];
  const left = [...all.values()];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { command, path } = next;
      const problem = await check(command);
      if (problem !== null && !exempt.has(command.text))
        problems.push(`${path}: ${command.text}: ${problem}`);
      if (problem === null && exempt.has(command.text)) problems.push(`${command.text} needs no exemption`);
    }
  };
  await Promise.all([work(), work()]);
  for (const text of exempt)
    if (!all.has(text)) problems.push(`no text has ${text}, so it needs no exemption`);
  assert.deepEqual(problems.toSorted(), []);
});

test('the check finds an unknown script, command, flag and word, and a value that a flag does not take', async () => {
  for (const [text, ...problems] of [
    ['`pnpm parity --only`, `pnpm demo`, `ingest-server --db x`, `./twin-ingest --port 0`'],
    [
      '```sh\npnpm bench:fast   # pnpm dmo:swap is another\n```',
      'package.json has no script bench:fast',
      'package.json has no script dmo:swap',
    ],
    ['`npx --yes pnpm@12.21.0 bench:compare -- --evnts=3 --rounds 2`', 'there is no flag --evnts'],
    ['`pnpm bench:quick --json=yes`', '--json takes no value'],
    ['`./twin-ingest conect codex`', 'conect is no command of ./twin-ingest'],
    ['`npx twin-ingest connect codx --dry-run`', 'its help does not name codx'],
    ['`twin-ingest stop --bd events.db`', 'there is no flag --bd'],
    ['`./twin-ingest --prot 0`', 'there is no flag --prot'],
    ['`./twin-ingest ensure --db FILE -- --idle-exit 600`, `pnpm bench:quick -- --json`'],
    ['`./twin-ingest ensure --db FILE --idle-exit 600`', 'there is no flag --idle-exit'],
    ['`ingest-server backup copy.db --port 0`', 'there is no flag --port'],
    ['`INGEST_PORT=0 target/release/ingest-server bakup copy.db`', 'bakup is no command of a server'],
    ['`pnpm rust:build --quick`', 'the script rust:build takes no arguments'],
    ['pnpm is a name in prose, and `cp target/release/ingest-server build/bin` copies it'],
  ] as const) {
    const found = await Promise.all(commandsOfMarkdown(text).map(check));
    assert.deepEqual(
      found.filter((problem) => problem !== null),
      problems,
      text,
    );
  }
});

test('in help and in sources a command ends at its last flag', () => {
  const texts = (commands: readonly Command[]) => commands.map(({ text }) => text);
  assert.deepEqual(
    texts(
      commandsOfHelp(
        'Usage: pnpm connect codex|gemini\n./twin-ingest doctor says. pnpm parity --only TEXT runs',
      ),
    ),
    ['pnpm connect', 'twin-ingest doctor', 'pnpm parity --only TEXT'],
  );
  const source = `// pnpm passes it on\nsay('\${COMMAND} connect codex', 'pnpm bench:\${name}', 'pnpm agents:import.');\n * pnpm replaces it`;
  assert.deepEqual(texts(commandsOfSource(source)), ['twin-ingest connect', 'pnpm agents:import']);
});
