/** Tests telemetry that arrives and is no record: at addresses that are nearly right, and with unknown names. */
import assert from 'node:assert/strict';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import { postOtlp, telemetryOf } from '../../src/otlp-client.ts';
import { NOTHING_COUNTED } from '../../src/otlp-telemetry.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

export async function wrongAddresses(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const long = `/v1/${'x'.repeat(2 * LIMITS.shown_bytes)}/logs`;
  const paths = ['//v1/logs', '/v1/traces/v1/metrics', '/', long];
  for (const path of paths)
    assert.ok((await postOtlp(client, 'protobuf', path, Buffer.alloc(0))).status >= 404);
  assert.equal((await postOtlp(client, 'json', '/nothing', Buffer.from('{}'))).status, 404);
  assert.deepEqual(await telemetryOf(client), {
    ...NOTHING_COUNTED,
    wrong_paths: paths.length,
    last_wrong_path: long.slice(0, LIMITS.shown_bytes),
  });
  await requireOneWarning(server, 'telemetry at a wrong path; send OTLP to /v1/logs');
}

export async function unknownNames(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const bodies = [
    '{"resource_logs":[{"scope_logs":[]}]}',
    '{"resourceLogs":[{"scope_logs":[{"a":1}]}]}',
    '{"x":1}',
  ];
  for (const path of ['/v1/logs', '/v1/metrics', '/v1/traces'])
    for (const body of bodies)
      assert.equal((await postOtlp(client, 'json', path, Buffer.from(body))).text, '{}');
  // Field 15 of a request, with two bytes.
  const unknown = Buffer.from('7a026162', 'hex');
  assert.equal((await postOtlp(client, 'protobuf', '/v1/logs', unknown)).status, 200);
  const without_records = 3 * bodies.length + 1;
  assert.deepEqual(await telemetryOf(client), { ...NOTHING_COUNTED, without_records });
  await requireOneWarning(server, 'telemetry without a record');
}

async function requireOneWarning(server: { stderr(): string }, text: string): Promise<void> {
  const lines = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes(text));
  await until(() => lines().length > 0, 'a warning');
  assert.equal(lines().length, 1, server.stderr());
  assert.match(lines()[0]!, /"level":"WARN"/);
}
