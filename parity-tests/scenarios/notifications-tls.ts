/** Tests notifications to a receiver of https: which certificates are trusted (rules NOT-01 and NOT-04). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { Authority } from '../src/certificates.ts';
import { parsePrometheus, valuesOf } from '../src/prometheus-text.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { WebhookReceiver } from '../src/webhook-receiver.ts';

export const NOTIFICATIONS_TLS: ScenarioFile = {
  name: 'notifications-tls',
  about: 'notifications to a webhook of https',
  scenarios: [
    {
      name: 'a notification arrives once the certificate is valid',
      rules: ['NOT-01', 'NOT-03', 'NOT-04'],
      uses: 'each',
      waits: true,
      run: certificates,
    },
    {
      name: 'an authority outside of SSL_CERT_FILE is not trusted',
      rules: ['NOT-01', 'NOT-04'],
      uses: 'each',
      waits: true,
      run: untrusted,
    },
  ],
};

async function certificates(context: ScenarioContext): Promise<void> {
  const [trusted, unknown] = ['trusted', 'unknown'].map((name) => new Authority(context, name));
  const receiver = await WebhookReceiver.open(context, unknown!.certify('localhost'));
  const env = { SSL_CERT_FILE: trusted!.file };
  const server = await context.start({ flags: [...receiver.flags, '--log-level', 'trace'], env });
  const client = context.client(server);
  await waitForPermission(client, 'one');
  await until(async () => (await retries(client)) === 1, 'an attempt with an unknown authority');
  receiver.show(trusted!.certify('example.org'));
  await until(async () => (await retries(client)) === 2, 'an attempt with the name of another host');
  assert.deepEqual([receiver.connections, receiver.attempts.length], [2, 0]);
  assert.equal((await client.get('/readyz')).status, 200);
  receiver.show(trusted!.certify('localhost'));
  await until(() => receiver.attempts.length === 1, 'the third attempt');
  await waitForPermission(client, 'two');
  await until(() => receiver.attempts.length === 2, 'the next notification');
  const sessions = receiver.attempts.map((attempt) => receiver.payloadOf(attempt).session);
  assert.deepEqual(sessions, ['one', 'two']);
  assert.equal(await retries(client), 2);
  const log = server.stderr();
  assert.equal(log.split('a notification was not delivered').length, 3, log);
  assert.ok(!log.includes(receiver.secret) && !log.includes('/hook?'), log);
}

async function untrusted(context: ScenarioContext): Promise<void> {
  const authority = new Authority(context, 'unknown');
  const receiver = await WebhookReceiver.open(context, authority.certify('localhost'));
  const environments: readonly Readonly<Record<string, string>>[] = [
    // The authorities of the system do not have it.
    {},
    { SSL_CERT_FILE: join(context.folder, 'missing.pem') },
    // A file without a certificate.
    { SSL_CERT_FILE: receiver.secretFile, SSL_CERT_DIR: '/etc/ssl/certs' },
  ];
  for (const [at, env] of environments.entries()) {
    const server = await context.start({ flags: receiver.flags, db: context.db(`${at}.db`), env });
    const client = context.client(server);
    await waitForPermission(client, 'one');
    await until(async () => (await retries(client)) === 1, 'a failed attempt');
    assert.equal((await client.get('/readyz')).status, 200);
    const isWarned = server.stderr().includes('no certificate of an authority was found');
    if (at > 0) assert.ok(isWarned, server.stderr());
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  }
  assert.equal(receiver.attempts.length, 0);
}

async function waitForPermission(client: ApiClient, session: string): Promise<void> {
  const payload = {
    session_id: session,
    hook_event_name: 'PermissionRequest',
    cwd: '/home/me/shop',
    tool_name: 'Bash',
  };
  const reply = await client.post('/api/hooks/claude-code', payload);
  assert.equal(reply.status, 200, reply.text);
}

/** Returns the number of failed attempts that are repeated. */
async function retries(client: ApiClient): Promise<number> {
  const values = valuesOf(parsePrometheus((await client.get('/metrics')).text));
  return values.get('ingest_webhook_notices_total{result="retried"}') ?? 0;
}
