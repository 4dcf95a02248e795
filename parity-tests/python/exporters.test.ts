/** Tests the OTLP exporters of OpenTelemetry for Python, with both servers (`pnpm test:clients`). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { preparePython, program } from './environment.ts';

const run = promisify(execFile);
const TOKEN = 'a-token-of-more-than-sixteen-characters';

type Row = Readonly<Record<string, unknown>>;
/** The reason why the tests cannot run. */
let missing: string | undefined;

before(async () => {
  missing = await preparePython();
});

for (const target of TARGET_NAMES)
  for (const compression of ['none', 'gzip'])
    test(`logs and spans of Python become events of ${target} (compression ${compression})`, async (context) => {
      if (missing !== undefined) return context.skip(missing);
      await inTree({ token: TOKEN }, async (folder) => {
        const token = join(folder, 'token');
        chmodSync(token, 0o600);
        const flags = ['--db', join(folder, 'events.db'), '--token-file', token];
        const server = await startServer(target, { cwd: folder, flags });
        try {
          const env = {
            OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
            OTEL_SERVICE_NAME: 'shop-assistant',
            OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${TOKEN}`,
            OTEL_EXPORTER_OTLP_COMPRESSION: compression,
          };
          const { stderr } = await run(program('python'), [join(import.meta.dirname, 'send.py'), 's'], {
            env,
          });
          assert.doesNotMatch(stderr, /Traceback|Failed/);
          const headers = { authorization: `Bearer ${TOKEN}` };
          const get = async <T>(path: string): Promise<T> =>
            (await (await fetch(`${server.url}${path}`, { headers })).json()) as T;
          const { events } = await get<{ events: Row[] }>('/api/events?order=asc');
          assert.deepEqual(
            events.map((row) => [
              row.agent_type,
              row.session_id,
              row.source_event,
              row.tokens_in,
              row.tokens_out,
            ]),
            [
              ['claude_code', 's', 'claude_code.user_prompt', 0, 0],
              ['shop-assistant', 's', 'chat', 9, 3],
            ],
          );
          const { tags, ratio, body } = events[0]!.metadata as Row;
          assert.deepEqual({ tags, ratio, body }, { tags: ['a', 'ü'], ratio: 0.5, body: { length: 3 } });
          const { telemetry } = await get<{ telemetry: { agents: Row[] } }>('/api/health');
          assert.deepEqual(
            telemetry.agents.map(({ agent_type, stored, ignored }) => [agent_type, stored, ignored]),
            [
              ['claude_code', 1, {}],
              ['gen_ai', 1, {}],
              ['unknown', 0, { unknown_agent: 1 }],
            ],
          );
        } finally {
          await server.stop();
        }
      });
    });
