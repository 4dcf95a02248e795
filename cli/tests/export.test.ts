/** Tests `agents:export` as a program against both servers, and its Markdown. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventRow } from '@twin-ingest/client';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { Writer } from '../src/export/markdown.ts';
import { linesOf } from '../src/export/rows.ts';
import { run } from './run-script.ts';
import { at, CLAUDE_SESSION, claudeTurn, lines } from './transcripts.ts';

const EVENTS = 1_203;

for (const name of TARGET_NAMES) {
  test(`a session of ${name} becomes Markdown and NDJSON`, async () => {
    await inTree({ 'one.jsonl': lines(...claudeTurn()) }, async (home) => {
      const server = await startServer(name, { cwd: home, flags: ['--db', join(home, 'events.db')] });
      try {
        const how = { cwd: home };
        const flags = ['--url', server.url];
        assert.equal((await run('import', ['claude-code', 'one.jsonl', ...flags], how)).code, 0);
        const shown = await run('export', [CLAUDE_SESSION, ...flags], how);
        assert.equal(shown.code, 0, shown.stderr);
        assert.match(shown.stdout, new RegExp(`^# Session ${CLAUDE_SESSION}\n\n- Agent: claude\\\\_code\n`));
        assert.match(shown.stdout, /\n- Tokens in: 200\n/);
        assert.ok(shown.stdout.includes(`## Prompt\n\n_${at(0)}_\n\n> say hello\n`));
        assert.ok(
          shown.stdout.includes(
            `**Bash** _${at(5)}, 2000 ms_\n\n\`\`\`\necho hello\n\`\`\`\n\n\`\`\`\nhello\n\`\`\`\n`,
          ),
        );
        assert.ok(shown.stdout.includes('> All done.'));
        const file = join(home, 'out.ndjson');
        const written = await run(
          'export',
          [CLAUDE_SESSION, '--format=ndjson', '--out', 'out.ndjson', ...flags],
          how,
        );
        assert.equal(written.code, 0, written.stderr);
        const response = await fetch(`${server.url}/api/events?session_id=${CLAUDE_SESSION}&order=asc`);
        const { events } = (await response.json()) as { events: unknown[] };
        const rows = readFileSync(file, 'utf8').trim().split('\n');
        assert.deepEqual(
          rows.map((row) => JSON.parse(row)),
          events,
        );
        const again = await run('export', [CLAUDE_SESSION, '--out', 'out.ndjson', ...flags], how);
        assert.equal(again.code, 1);
        assert.equal(again.stderr, `export: ${file} exists already\n`);
        const nowhere = await run('export', [CLAUDE_SESSION, '--out', 'no/x/out.md', ...flags], how);
        assert.deepEqual(
          [nowhere.code, nowhere.stderr],
          [1, `export: ${join(home, 'no/x')} does not exist\n`],
        );
        assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, rows.length, 'the file stays');
        const missing = await run('export', ['nothing', '--out', 'none', ...flags], how);
        assert.equal(missing.code, 1);
        assert.equal(missing.stderr, 'export: there is no such session\n');
        assert.equal(existsSync(join(home, 'none')), false);
      } finally {
        await server.stop();
      }
    });
  });

  test(`every page of a long session of ${name} is exported, in the bytes of the server`, async () => {
    await inTree({}, async (home) => {
      const server = await startServer(name, { cwd: home, flags: ['--db', join(home, 'events.db')] });
      try {
        const events = Array.from({ length: EVENTS }, (_, index) => ({
          ...{ session_id: 'a b/c', agent_type: 'x', event_type: 'user_prompt' },
          metadata: { prompt: `number ${index}` },
        }));
        const body = JSON.stringify({ events }).replace('"number 7"', '1.50');
        const headers = { 'content-type': 'application/json' };
        const sent = await fetch(`${server.url}/api/events/batch`, { method: 'POST', headers, body });
        assert.equal(sent.status, 201);
        const shown = await run('export', ['a b/c', '--url', server.url], { cwd: home });
        assert.equal(shown.stdout.match(/^## Prompt$/gm)?.length, EVENTS);
        const pieces: Uint8Array[] = [];
        // 1,203 rows are three full answers and an empty one.
        for await (const piece of linesOf({ origin: server.url, token: undefined }, 'a b/c', 401))
          pieces.push(piece);
        const text = Buffer.concat(pieces).toString();
        const ids = text
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as EventRow).id);
        assert.equal(new Set(ids).size, EVENTS);
        assert.ok(text.includes('"metadata":{"prompt":1.50}'));
      } finally {
        await server.stop();
      }
    });
  });
}

const row = (more: Partial<EventRow>): EventRow =>
  ({
    time: at(0),
    agent_id: null,
    status: 'success',
    duration_ms: null,
    tool_name: null,
    ...more,
  }) as EventRow;

test('text of an event cannot leave its block', () => {
  const writer = new Writer();
  const part = writer.part(
    row({ event_type: 'tool_use', tool_name: '*x*', metadata: { tool_input: 'a\n````\n# b' } }),
  );
  assert.ok(part.includes('**\\*x\\***'));
  assert.ok(part.includes('\n`````\na\n````\n# b\n`````\n'));
  const listed = { tool_response: { content: [{ type: 'text', text: 'one' }, { text: 'two' }], id: 7 } };
  const call = writer.part(row({ event_type: 'tool_use', tool_name: 'x', metadata: listed }));
  assert.ok(call.endsWith('\n```\none\ntwo\n```\n'));
  const prompt = writer.part(row({ event_type: 'user_prompt', metadata: { prompt: 'one\r\n# two\rthree' } }));
  assert.ok(prompt.endsWith('> one\n> # two\n> three\n'));
});

test('an answer that a hook repeats is written once, and steps are left out', () => {
  const writer = new Writer();
  const answer = (metadata: unknown) => writer.part(row({ event_type: 'response', metadata }));
  assert.match(answer({ delta: 'Done.' }), /> Done\.\n$/);
  assert.equal(answer({ last_assistant_message: 'Done.' }), '');
  assert.equal(answer({ response: '<REDACTED>' }), '');
  assert.equal(writer.part(row({ event_type: 'plan_step', metadata: {} })), '');
  assert.match(
    writer.part(row({ event_type: 'plan_step', status: 'error', metadata: { error: 'no' } })),
    /\*\*Error\*\*/,
  );
});

test('an export without a server names the address and what to do', async () => {
  await inTree({}, async (home) => {
    const { code, stderr } = await run('export', ['a', '--url', 'http://127.0.0.1:9'], { cwd: home });
    assert.deepEqual(
      [code, stderr],
      [
        1,
        'export: No server answers at http://127.0.0.1:9 (ECONNREFUSED). Start one (./twin-ingest), or name another with --url.\n',
      ],
    );
  });
});

test('wrong flags are exit 2', async () => {
  await inTree({}, async (home) => {
    writeFileSync(join(home, 'x'), '');
    const ran = await run('export', ['a', 'b', '--format', 'pdf'], { cwd: home });
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /unexpected argument b\nexport: --format must be markdown or ndjson, not pdf\n/);
    writeFileSync(join(home, 'bytes'), Buffer.of(0xff));
    for (const [file, problem] of [
      ['absent', 'does not exist'],
      ['.', 'is a folder, not a file'],
      ['bytes', 'is not UTF-8 text'],
    ]) {
      const { code, stderr } = await run('export', ['a', '--token-file', file!], { cwd: home });
      assert.deepEqual([code, stderr], [2, `export: --token-file "${file}" ${problem}\n`]);
    }
  });
});
