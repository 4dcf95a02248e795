/** Tests the command hooks: their input arrives completely, and they end at once whatever the server does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { CommandHandler } from '../src/connect/claude-hooks.ts';
import { commandFor, NOBODY, payload, run, silentServer } from './hook-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'hook-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const TOKEN = 'a"token\\of%s$sixteen`characters';
const token_file = join(folder, "it's a token");
writeFileSync(token_file, ` ${TOKEN}\n`, { mode: 0o600 });

const ROUNDS = 5;
/** Duration of a run that has waited for an unresponsive server: the command's curl would wait even longer. */
const NEVER_MS = 4_000;

async function isOverAtOnce(handler: CommandHandler, text: string, env?: NodeJS.ProcessEnv): Promise<void> {
  for (let i = 0; i < ROUNDS; i++) {
    const took_ms = await run(handler, text, env);
    assert.ok(took_ms < NEVER_MS, `took ${took_ms} ms`);
  }
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `not so in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function rowsOf(
  { url }: RunningServer,
  count: number,
  token?: string,
): Promise<{ session_id: string; metadata: unknown }[]> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  let rows: { session_id: string; metadata: unknown }[] = [];
  await until(async () => {
    const response = await fetch(`${url}/api/events?order=asc`, { headers });
    rows = ((await response.json()) as { events: typeof rows }).events;
    return rows.length >= count;
  }, `${count} events arrived`);
  return rows;
}

for (const name of TARGET_NAMES) {
  test(`payloads of every kind and size arrive unchanged at ${name}`, async () => {
    const server = await startServer(name, {
      cwd: folder,
      flags: ['--db', join(folder, `${name}.db`), '--max-metadata-bytes', '16777216'],
    });
    try {
      const handler = commandFor({ origin: server.url, token_file: null });
      const texts = [
        '',
        'ä “quoted” \\n %s $HOME `id` \' " \u2028 👍',
        '-n\n\n',
        'words and "quotes" and \\ and ü '.repeat(35_000),
      ].map((more, i) => payload(`s${i}`, more));
      assert.ok(Buffer.byteLength(texts[3]!) > 1_000_000);
      for (const text of texts) await run(handler, text);
      const rows = await rowsOf(server, texts.length);
      const bySession = new Map(rows.map((row) => [row.session_id, row.metadata]));
      for (const [i, text] of texts.entries()) assert.deepEqual(bySession.get(`s${i}`), JSON.parse(text));
      await isOverAtOnce(handler, texts[0]!);
      await rowsOf(server, texts.length + ROUNDS);
    } finally {
      await server.stop();
    }
  });

  test(`a token file is read when the hook runs, and ${name} accepts its token`, async () => {
    const server = await startServer(name, {
      cwd: folder,
      flags: ['--db', join(folder, `${name}-token.db`), '--token-file', token_file],
    });
    try {
      await run(commandFor({ origin: server.url, token_file }), payload('s', 'x'.repeat(100_000)));
      const [row] = await rowsOf(server, 1, TOKEN);
      assert.equal(row!.session_id, 's');
    } finally {
      await server.stop();
    }
  });
}

test('a command hook ends at once with an unresponsive server and without one', async () => {
  const silent = await silentServer();
  const handler = commandFor({ origin: silent.origin, token_file: null });
  await isOverAtOnce(handler, payload('s', 'x'.repeat(100_000)));
  await until(() => silent.bytes() >= 100_000, 'the bytes arrived');
  silent.close();
  await once(silent.server, 'close');
  await isOverAtOnce(handler, payload('s'));
});

test('a command hook ends at once without curl and without its token file', async () => {
  // A folder with only the programs that the command needs.
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const name of ['sh', 'cat']) {
    const places = process.env.PATH!.split(delimiter).map((place) => join(place, name));
    symlinkSync(places.find((place) => existsSync(place))!, join(bin, name));
  }
  const handler = commandFor({ origin: NOBODY, token_file: null });
  await isOverAtOnce(handler, payload('s', 'x'.repeat(100_000)), { PATH: bin });
  await isOverAtOnce(commandFor({ origin: NOBODY, token_file: join(folder, 'none') }), payload('s'));
});
