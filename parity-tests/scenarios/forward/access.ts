/** Tests the access to a receiver: its token, its certificate, and the flags of the sender. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { Authority } from '../../src/certificates.ts';
import {
  forwardingOf,
  forwardMetrics,
  RECEIVERS,
  rowsOf,
  startReceiver,
  startSender,
  untilForwarded,
} from '../../src/forward-pair.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

const TOKEN = 'correct-horse-battery-staple';
const WRONG = 'another-horse-without-staple';

/** A wrong token holds the events back, and the right one sends them. No log has either. */
export async function token(context: ScenarioContext): Promise<void> {
  const [right, wrong] = [TOKEN, WRONG].map((text) => {
    const path = join(context.folder, text);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  });
  for (const target of RECEIVERS) {
    const receiver = await startReceiver(context, target, 0, ['--token-file', right!]);
    const flags = (path: string): string[] => ['--forward-token-file', path, '--log-level', 'trace'];
    const first = await startSender(context, target, receiver.port, flags(wrong!));
    const client = context.client(first);
    await client.ingest([event(), event()]);
    await until(async () => (await forwardingOf(client)).failure === 'status_401', 'a refusal');
    assert.equal((await forwardingOf(client)).waiting, 2);
    await first.stop();
    const second = await startSender(context, target, receiver.port, flags(right!));
    await untilForwarded(context.client(second));
    await Promise.all([second.stop(), receiver.stop()]);
    assert.equal(rowsOf(context.db(`receiver-${target}.db`)).length, 2);
    const logs = [first, second, receiver].map((server) => server.stderr() + server.stdout()).join('');
    assert.ok(!logs.includes(TOKEN) && !logs.includes(WRONG), 'a log has a token');
  }
}

/** A receiver gets requests once an authority that the sender trusts has signed its certificate. */
export async function certificates(context: ScenarioContext): Promise<void> {
  const [trusted, unknown] = ['trusted', 'unknown'].map((name) => new Authority(context, name));
  let requests = 0;
  let attempts = 0;
  const server = createServer(unknown!.certify('localhost'), (request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => {
      const body = { received: 1, ids: [], duplicates: 0, rejected: [], revision: '1' };
      response.writeHead(201).end(JSON.stringify(body));
    });
  });
  server.on('connection', () => {
    attempts += 1;
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.atEnd(() => server.close());
  context.atEnd(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const sender = await context.start({
    flags: ['--forward', `https://localhost:${port}`],
    env: { SSL_CERT_FILE: trusted!.file },
  });
  const client = context.client(sender);
  await client.ingest([event()]);
  await until(async () => (await forwardingOf(client)).failure === 'unreachable', 'a failure');
  assert.ok(attempts > 0);
  server.setSecureContext(trusted!.certify('example.org'));
  const seen = attempts;
  await until(() => attempts > seen, 'an attempt with the name of another host');
  await until(async () => ((await forwardMetrics(client)).failures_total ?? 0) > seen, 'its failure');
  assert.equal(requests, 0);
  server.setSecureContext(trusted!.certify('localhost'));
  await untilForwarded(client);
  const connections = attempts;
  await client.ingest([event()]);
  await untilForwarded(client);
  assert.deepEqual([requests, attempts], [2, connections], 'the connection is kept');
  await sender.stop();
}

/** Wrong flags are exit 2 with their messages. */
export async function flags(context: ScenarioContext): Promise<void> {
  /** Each with what the message shows: no user and no query. */
  const urls: readonly (readonly [url: string, shown?: string])[] = [
    ['board:3141'],
    ['ftp://board'],
    ['http://user@board', 'http://***@board'],
    ['http://board?x', 'http://board?***'],
    ['http://board:0'],
    ['http://'],
  ];
  for (const [url, shown = url] of urls) {
    const { code, stderr } = await failedStart(context.target, ['--forward', url], context.folder);
    assert.equal(code, 2);
    assert.deepEqual(plainLines(stderr), [
      `--forward must be a URL such as https://board.example.org:3141, without user, query and fragment, not ${JSON.stringify(shown)}`,
    ]);
  }
  const open = join(context.folder, 'open');
  writeFileSync(open, `${TOKEN}\n`, { mode: 0o644 });
  const { code, stderr } = await failedStart(context.target, ['--forward-token-file', open], context.folder);
  assert.equal(code, 2);
  assert.deepEqual(plainLines(stderr), [
    `--forward-token-file ${JSON.stringify(open)} is open to other users; run \`chmod 600\` on it`,
    '--forward-token-file needs --forward',
  ]);
}
