/** Tests the parts of the import that need no server: lines, values, cuts, families. */
import assert from 'node:assert/strict';
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { familiesOf, transcriptsAt } from '../src/import/files.ts';
import { linesOf } from '../src/import/lines.ts';
import { MAPPINGS } from '../src/import/mapping.ts';
import { shortened } from '../src/import/shorten.ts';
import { Transcript } from '../src/import/transcript.ts';
import { run } from './run-script.ts';
import { at, CLAUDE_SESSION, claudeTurn, lines } from './transcripts.ts';

test('lines have their numbers across pieces of the file, and a long one has no text', async () => {
  // The second line is longer than a piece, and the third than the bound.
  const text = `one\n${'x'.repeat(300_000)}\n${'y'.repeat(500_001)}\n\nlast`;
  await inTree({ file: text }, async (root) => {
    const found = [];
    for await (const line of linesOf(join(root, 'file'), 500_000)) found.push(line);
    assert.deepEqual(
      found.map(({ number, text, bytes }) => [number, text?.length ?? null, bytes]),
      [
        [1, 3, 4],
        [2, 300_000, 300_001],
        [3, null, 500_002],
        [4, 0, 1],
        [5, 4, 4],
      ],
    );
  });
});

test('a line that is not UTF-8 has no text, and the lines around it do', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"a":"ä"}\n{"a":"'),
    Buffer.of(0xe4),
    Buffer.from('"}\n{"a":"\ufffd"}\n{"a":"'),
    Buffer.of(0xed, 0xa0, 0x80, 0x22, 0x7d),
  ]);
  await inTree({}, async (root) => {
    const path = join(root, 'one.jsonl');
    writeFileSync(path, bytes);
    const found = [];
    for await (const { text, fault } of linesOf(path)) found.push([text, fault]);
    const lost = [null, 'not UTF-8'];
    assert.deepEqual(found, [['{"a":"ä"}', null], lost, ['{"a":"\ufffd"}', null], lost]);
    const { stderr } = await run('import', ['claude-code', path, '--dry-run'], { cwd: root });
    assert.match(stderr, /2 damaged lines: not UTF-8, first at .*one\.jsonl:2/);
    assert.ok(readFileSync(path).equals(bytes));
  });
});

test('each file is found once, whatever links lead to it, and loops end', async () => {
  const files = {
    'p/a.jsonl': '{}',
    'p/sub/b.jsonl': '{}',
    'p/note.txt': '',
    'far/c.jsonl': '{}',
    'far/d.txt': '',
  };
  await inTree(files, async (root) => {
    const link = (target: string, path: string) => symlinkSync(target, join(root, path));
    link('.', 'p/loop');
    link('loop', 'p/again');
    link('../../p', 'p/sub/up');
    link('self', 'p/self');
    link('nothing.jsonl', 'p/broken.jsonl');
    link('a.jsonl', 'p/same.jsonl');
    link('../far', 'p/far');
    link('../far', 'p/far-again');
    link('../p', 'far/back');
    link('d.txt', 'far/e.jsonl');
    linkSync(join(root, 'p/a.jsonl'), join(root, 'p/hard.jsonl'));
    // Two loops in a folder double the paths at each level. A deadline ends a child that follows them all.
    const { code, stdout } = await run('import', ['claude-code', root, '--dry-run'], { cwd: root });
    assert.equal(code, 0, 'the import did not end');
    assert.match(stdout, /Read 3 lines of 4 files/);
    const found = (...paths: string[]) =>
      transcriptsAt(paths.map((path) => join(root, path))).map(({ path }) => relative(root, path));
    assert.deepEqual(found('p'), ['p/a.jsonl', 'p/far/c.jsonl', 'p/far/e.jsonl', 'p/sub/b.jsonl']);
    assert.deepEqual(found('p', 'p/loop', 'far', 'p/a.jsonl', 'p/same.jsonl').length, 4);
    assert.deepEqual(found('p/same.jsonl'), ['p/same.jsonl']);
    assert.throws(() => found('p/broken.jsonl'), { code: 'ENOENT' });
  });
});

test('metadata is cut until it fits, at any depth', () => {
  const cut = shortened({ text: 'é'.repeat(20_000), list: Array.from({ length: 500 }, (_, index) => index) });
  assert.ok(Buffer.byteLength(JSON.stringify(cut)) <= 10_240);
  assert.match(String(cut.text), /^é+…$/);
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as Record<string, unknown>;
  assert.ok(JSON.stringify(shortened(deep)).length < 200);
  const emoji = shortened({ text: '😀'.repeat(10_000) }, 100);
  assert.ok(JSON.stringify(emoji).isWellFormed());
  assert.ok(!JSON.stringify(emoji).includes('\\ud83d'), 'no half of a pair');
});

test('sessions with one first line are a family, and the first one is the oldest', async () => {
  const start = (session: string, seconds: number) => ({
    ...{ type: 'queue-operation', sessionId: session, timestamp: at(seconds) },
  });
  const files = {
    'a.jsonl': lines(start('fork', 60), ...claudeTurn('fork')),
    'b.jsonl': lines(start(CLAUDE_SESSION, 0), ...claudeTurn()),
    'b/subagents/agent-1.jsonl': lines(...claudeTurn(CLAUDE_SESSION, { isSidechain: true }, 's')),
    'c.jsonl': '',
  };
  await inTree(files, (root) => {
    const families = familiesOf(transcriptsAt([root, join(root, 'c.jsonl')]), MAPPINGS['claude-code']!);
    const named = families.map((family) =>
      family.map((session) => session.files.map(({ path }) => path.slice(root.length + 1))),
    );
    assert.deepEqual(
      named.sort((one, other) => other.length - one.length),
      [[['b.jsonl', 'b/subagents/agent-1.jsonl'], ['a.jsonl']], [['c.jsonl']]],
    );
  });
});

test('families come in the order of their first records', async () => {
  const session = (id: string, seconds: number) =>
    lines({ type: 'file-history-snapshot' }, { ...claudeTurn(id)[0], uuid: id, timestamp: at(seconds) });
  const files = { 'a.jsonl': session('a', 60), 'b.jsonl': session('b', -60), 'c.jsonl': session('c', 0) };
  await inTree(files, (root) => {
    const families = familiesOf(transcriptsAt([root]), MAPPINGS['claude-code']!);
    const names = families.flat().map(({ files: [file] }) => relative(root, file!.path));
    assert.deepEqual(names, ['b.jsonl', 'c.jsonl', 'a.jsonl']);
  });
});

test('calls without a result take bounded memory', () => {
  const reporter = { problem: () => {}, isCopy: () => false };
  const transcript = new Transcript(MAPPINGS['claude-code']!, '/t.jsonl', reporter);
  const [, , , call, result] = claudeTurn();
  const read = (line: unknown, number: number) =>
    transcript.read({ number, text: JSON.stringify(line), fault: null, bytes: 1 });
  for (let index = 0; index < 1_500; index++) {
    const content = [{ type: 'tool_use', id: `t${index}`, name: `tool-${index}`, input: {} }];
    read({ ...call, uuid: `c${index}`, message: { ...(call!.message as object), content } }, index);
  }
  const named = (id: string) => {
    const content = [{ type: 'tool_result', tool_use_id: id, content: 'x' }];
    return read({ ...result, message: { role: 'user', content } }, 9_999).at(-1)?.event.tool_name;
  };
  assert.equal(named('t1499'), 'tool-1499');
  assert.equal(named('t0'), undefined);
});

test('a file that cannot be read is reported, and the others are imported', async () => {
  await inTree({ 'one.jsonl': lines(...claudeTurn()) }, async (home) => {
    // Opens, and refuses the read.
    const ran = await run('import', ['claude-code', '/proc/self/mem', 'one.jsonl', '--dry-run'], {
      cwd: home,
    });
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /1 files that cannot be read: EIO, first at \/proc\/self\/mem/);
    assert.match(ran.stdout, /: 8 events would be stored/);
  });
});
