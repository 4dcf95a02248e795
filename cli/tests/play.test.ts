/**
 * Tests a day of agents in either server: every call, token and cent once, in the right field, with nothing refused
 * or ignored.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { Courier } from '../src/demo/courier.ts';
import { pastOf } from '../src/demo/day.ts';
import { Play } from '../src/demo/play.ts';
import { addWork, noWork, workOf } from '../src/demo/work-done.ts';

const SEED = 7;

interface Agent {
  readonly agent_type: string;
  readonly logs: number;
  readonly spans: number;
  readonly duplicates: number;
  readonly noise: number;
  readonly ignored: object;
}
interface Listed {
  readonly id: string;
  readonly status: string;
  readonly waiting_reason: string | null;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

for (const name of TARGET_NAMES) {
  test(`${name} counts the calls, errors, tokens and cost of a day once`, async () => {
    await inTree({}, async (root) => {
      const server = await startServer(name, { cwd: root, flags: ['--db', join(root, 'events.db')] });
      const get = async <T>(path: string) => (await (await fetch(`${server.url}${path}`)).json()) as T;
      try {
        const courier = new Courier(server.url);
        const play = new Play(courier);
        await play.past(SEED, new AbortController().signal);
        const done = noWork();
        for (const { item } of pastOf(SEED)) addWork(done, item);
        const { events, ...counted } = await workOf(server.url);
        assert.deepEqual([play.done, counted, courier.refused], [done, done, 0]);

        const { telemetry } = await get<{ telemetry: { agents: Agent[] } }>('/api/health');
        assert.deepEqual(
          telemetry.agents.map(({ agent_type, ignored }) => [agent_type, ignored]),
          [
            ['claude_code', {}],
            ['codex', {}],
            ['gemini_cli', {}],
          ],
        );
        const [claude, codex] = telemetry.agents;
        // Subjects that arrive as a hook and a log, or as a log and a span; and spans that belong to no call.
        assert.ok(claude!.duplicates > 0 && codex!.spans > 0 && codex!.duplicates === codex!.spans / 2);
        assert.ok(codex!.noise > 0);

        const { sessions } = await get<{ sessions: Listed[] }>('/api/sessions?limit=100');
        const past = pastOf(SEED).map(({ item }) => item);
        assert.equal(sessions.length, new Set(past.map(({ session }) => session.id)).size);
        const newest = new Map(past.map(({ session, step }) => [session.id, step.kind]));
        const asking = [...newest].filter(([, kind]) => kind === 'ask').map(([id]) => [id, 'permission']);
        const waiting = sessions.filter(({ status }) => status === 'waiting');
        assert.deepEqual(
          waiting.map(({ id, waiting_reason }) => [id, waiting_reason]),
          asking,
        );
        for (const key of ['cache_read_tokens', 'cache_write_tokens'] as const)
          assert.equal(
            sessions.reduce((sum, session) => sum + session[key], 0),
            past.reduce((sum, { step }) => sum + (step.kind === 'reply' ? step.reply[key] : 0), 0),
            key,
          );
        assert.ok(events > courier.sent / 2);
      } finally {
        await server.stop();
      }
    });
  });
}
