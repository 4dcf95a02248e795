/**
 * Tests both servers against `contract/openapi.json` with schemathesis (`pnpm test:clients`).
 *
 * It sends valid and invalid requests of every operation, and checks status, media type, headers and body of each
 * answer. The seed is fixed; `schemathesis.toml` has the settings and the exceptions.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { preparePython, program } from './environment.ts';

const run = promisify(execFile);
const SCHEMA = join(ROOT, 'contract', 'openapi.json');
const SETTINGS = join(import.meta.dirname, 'schemathesis.toml');
/** The report of a failing run is long. */
const OUTPUT_BYTES = 64 << 20;
/** Far fewer requests mean that operations were skipped. */
const LEAST_CASES = 1_000;

let missing: string | undefined;

before(async () => {
  missing = await preparePython();
});

/** Both servers at once, since the requests mostly wait. */
describe('schemathesis', { concurrency: true }, () => {
  for (const target of TARGET_NAMES)
    test(`${target} answers as openapi.json says`, async (context) => {
      if (missing !== undefined) return context.skip(missing);
      await inTree({}, async (folder) => {
        const flags = ['--db', join(folder, 'events.db'), '--bench'];
        const server = await startServer(target, { cwd: folder, flags });
        try {
          const options = ['--no-color', '--config-file', SETTINGS, 'run', SCHEMA, '--url', server.url];
          const { stdout } = await run(program('schemathesis'), options, {
            cwd: folder,
            maxBuffer: OUTPUT_BYTES,
          }).catch((error: { stdout?: string; message: string }) => {
            throw new Error(error.stdout ?? error.message);
          });
          const [, cases] = /(\d+) generated/.exec(stdout) ?? [];
          assert.ok(Number(cases) >= LEAST_CASES, stdout.slice(-2_000));
          context.diagnostic(`${cases} requests`);
        } finally {
          await server.stop();
        }
        const log = server.stderr();
        assert.doesNotMatch(log, /"level":"ERROR"/, log);
      });
    });
});
