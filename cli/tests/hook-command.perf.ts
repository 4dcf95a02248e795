/**
 * Measures how long a command hook takes with a server. It depends on the machine, so `pnpm test` does not run it:
 * `pnpm test:perf`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { commandFor, payload, run } from './hook-run.ts';

const CALLS = 200;
const MOST_MS = 15;

for (const name of TARGET_NAMES) {
  test(`a command hook takes at most ${MOST_MS} ms with ${name}`, async (context) => {
    await inFolder(async (folder) => {
      const server = await startServer(name, { cwd: folder, flags: ['--db', `${folder}/events.db`] });
      try {
        const handler = commandFor({ origin: server.url, token_file: null });
        const took_ms: number[] = [];
        for (let i = 0; i < CALLS; i++) took_ms.push(await run(handler, payload('s', 'x'.repeat(2_000))));
        took_ms.sort((one, other) => one - other);
        const [median, late] = [took_ms[CALLS / 2]!, took_ms[CALLS * 0.9]!];
        context.diagnostic(`median ${median.toFixed(1)} ms, 90 % ${late.toFixed(1)} ms`);
        assert.ok(median <= MOST_MS, `median ${median} ms`);
      } finally {
        await server.stop();
      }
    });
  });
}
