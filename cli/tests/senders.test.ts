/** Tests the settings for Codex and OpenCode as those agents use them: the resulting events in both servers. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { CommandHandler } from '../src/connect/agent-hooks.ts';
import { CODEX_HOOKS } from '../src/connect/codex.ts';
import { pluginFor } from '../src/connect/opencode.ts';
import { run } from './hook-run.ts';

type Row = Readonly<Record<string, unknown>>;
const TOKEN = 'a-token-of-more-than-sixteen-characters';

/** Returns the rows, oldest first, once there are `count`. */
async function rowsOf({ url }: RunningServer, count: number): Promise<readonly Row[]> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${url}/api/events?order=asc`, { headers });
    const { events } = (await response.json()) as { events: Row[] };
    if (events.length >= count) return events;
    assert.ok(performance.now() < deadline, `${events.length} of ${count} events came`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pick = (row: Row, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

for (const name of TARGET_NAMES) {
  for (const token_file of [null, "it's a token"]) {
    test(`hooks of Codex become events of ${name} (${token_file ?? 'no token'})`, async () => {
      await inTree({}, async (root) => {
        const file = token_file === null ? null : join(root, token_file);
        if (file !== null) writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
        const flags = ['--db', join(root, 'events.db'), ...(file === null ? [] : ['--token-file', file])];
        const server = await startServer(name, { cwd: root, flags });
        try {
          const handlers = CODEX_HOOKS.handlersFor(
            { origin: server.url, token_file: file },
            { hasCurl: true },
          );
          const payload = {
            ...{ session_id: 's', hook_event_name: 'PermissionRequest', model: 'gpt-5', source: 'startup' },
            ...{
              tool_name: 'Bash',
              tool_input: { command: 'echo "}\' \\ $HOME `id` ü' },
              agent_type: 'helper',
            },
          };
          await run(handlers.get('PermissionRequest') as CommandHandler, `${JSON.stringify(payload)}\n`);
          const [row] = await rowsOf(server, 1);
          assert.deepEqual(
            pick(
              row!,
              'session_id',
              'agent_type',
              'event_type',
              'source',
              'source_event',
              'tool_name',
              'model',
            ),
            {
              ...{ session_id: 's', agent_type: 'codex', event_type: 'plan_step', source: 'hook' },
              ...{ source_event: 'PermissionRequest', tool_name: 'Bash', model: 'gpt-5' },
            },
          );
          assert.deepEqual(row!.metadata, payload);
          const listed = await fetch(`${server.url}/api/sessions`, {
            headers: { authorization: `Bearer ${TOKEN}` },
          });
          const { sessions } = (await listed.json()) as { sessions: Row[] };
          assert.deepEqual(pick(sessions[0]!, 'status', 'waiting_reason'), {
            status: 'waiting',
            waiting_reason: 'permission',
          });
          await run(
            handlers.get('SessionEnd') as CommandHandler,
            '{"session_id":"s","hook_event_name":"SessionEnd","model":null}',
          );
          const rows = await rowsOf(server, 2);
          assert.deepEqual(pick(rows[1]!, 'event_type', 'model'), { event_type: 'session_end', model: null });
        } finally {
          await server.stop();
        }
      });
    });
  }

  test(`the plugin of OpenCode sends sessions, calls, tokens and cost to ${name}, each once`, async () => {
    await inTree({ token: `${TOKEN}\n` }, async (root) => {
      const token_file = join(root, 'token');
      chmodSync(token_file, 0o600);
      const flags = ['--db', join(root, 'events.db'), '--token-file', token_file];
      const server = await startServer(name, { cwd: root, flags });
      try {
        const plugin = join(root, 'plugins', 'twin-ingest.mjs');
        mkdirSync(join(root, 'plugins'));
        writeFileSync(plugin, pluginFor({ origin: server.url, token_file }));
        const { TwinIngest } = (await import(pathToFileURL(plugin).href)) as Plugin;
        const { event } = await TwinIngest({ directory: '/home/me/app' });
        for (const one of EVENTS) await event({ event: one });
        const rows = await rowsOf(server, EXPECTED.length);
        const names = [
          'session_id',
          'agent_id',
          'event_type',
          'source_event',
          'tool_name',
          'call_id',
          'status',
        ];
        assert.deepEqual(
          rows.map((row) => names.map((key) => row[key])),
          EXPECTED,
        );
        assert.deepEqual(
          pick(
            rows[4]!,
            'model',
            'tokens_in',
            'tokens_out',
            'cache_read_tokens',
            'cache_write_tokens',
            'cost_usd',
            'duration_ms',
          ),
          {
            ...{
              model: 'm1',
              tokens_in: 1020,
              tokens_out: 42,
              cache_read_tokens: 802,
              cache_write_tokens: 7,
            },
            ...{ cost_usd: 0.0039306, duration_ms: 1381 },
          },
        );
        assert.ok(rows.every(({ project, agent_type }) => project === 'app' && agent_type === 'opencode'));
        assert.ok(!JSON.stringify(rows).includes('hello'), 'no output of a tool');
      } finally {
        await server.stop();
      }
      // OpenCode continues when no server answers any more.
      const { TwinIngest } = (await import(
        pathToFileURL(join(root, 'plugins', 'twin-ingest.mjs')).href
      )) as Plugin;
      const { event } = await TwinIngest({ directory: '/' });
      await event({ event: EVENTS[0]! });
      await event({ event: { type: 'message.updated', id: 'evt_9', properties: {} } });
    });
  });
}

interface Sent {
  readonly type: string;
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Plugin {
  TwinIngest(context: { directory: string }): Promise<{ event(input: { event: Sent }): Promise<void> }>;
}

let count = 0;
const sent = (type: string, sessionID: string, properties: object): Sent => {
  count += 1;
  return { type, id: `evt_${count}`, properties: { sessionID, ...properties } };
};
const tool = (sessionID: string, id: string, state: object): Sent =>
  sent('message.part.updated', sessionID, {
    part: { type: 'tool', id, tool: 'bash', callID: `call_${id}`, state },
  });
const ANSWER = {
  ...{ id: 'msg_2', role: 'assistant', modelID: 'm1', cost: 0.0039306 },
  tokens: { input: 1020, output: 30, reasoning: 12, cache: { read: 802, write: 7 } },
};
const answer = (time: object): Sent => sent('message.updated', 'ses_1', { info: { ...ANSWER, time } });

/** Events as OpenCode 1.18 sends them, without the members that the plugin ignores. */
const EVENTS: readonly Sent[] = [
  sent('plugin.added', 'ses_1', {}),
  sent('session.created', 'ses_1', { info: { id: 'ses_1' } }),
  sent('message.updated', 'ses_1', { info: { id: 'msg_1', role: 'user', time: { created: 1 } } }),
  sent('message.updated', 'ses_1', { info: { id: 'msg_1', role: 'user', time: { created: 1 } } }),
  tool('ses_1', 'prt_1', { status: 'pending', input: {} }),
  tool('ses_1', 'prt_1', { status: 'running', input: { command: 'x' }, time: { start: 5 } }),
  tool('ses_1', 'prt_1', { status: 'running', input: { command: 'x' }, time: { start: 5 } }),
  tool('ses_1', 'prt_1', {
    status: 'completed',
    input: { command: 'x' },
    output: 'hello',
    time: { start: 5, end: 9 },
  }),
  answer({ created: 100 }),
  answer({ created: 100, completed: 1481 }),
  answer({ created: 100, completed: 1481 }),
  sent('session.created', 'ses_2', { info: { id: 'ses_2', parentID: 'ses_1' } }),
  tool('ses_2', 'prt_2', { status: 'error', input: {}, error: 'hello', time: { start: 5, end: 9 } }),
  sent('permission.asked', 'ses_2', { id: 'per_1', permission: 'bash' }),
  sent('session.error', 'ses_1', { error: { name: 'APIError' } }),
  sent('session.idle', 'ses_1', {}),
];
const PART = 'message.part.updated';
const EXPECTED = [
  ['ses_1', null, 'session_start', 'session.created', null, null, 'success'],
  ['ses_1', null, 'user_prompt', 'message.updated', null, null, 'success'],
  ['ses_1', null, 'plan_step', PART, 'bash', 'call_prt_1', 'success'],
  ['ses_1', null, 'tool_use', PART, 'bash', 'call_prt_1', 'success'],
  ['ses_1', null, 'llm_response', 'message.updated', null, null, 'success'],
  ['ses_1', 'ses_2', 'plan_step', 'session.created', null, null, 'success'],
  ['ses_1', 'ses_2', 'tool_use', PART, 'bash', 'call_prt_2', 'error'],
  ['ses_1', 'ses_2', 'plan_step', 'permission.asked', null, null, 'success'],
  ['ses_1', null, 'error', 'session.error', null, null, 'error'],
  ['ses_1', null, 'response', 'session.idle', null, null, 'success'],
];
