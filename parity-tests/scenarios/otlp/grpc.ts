/**
 * Tests clients that speak gRPC (rule OTL-12): the server closes their connection without an answer, counts it, and
 * logs it once.
 */
import assert from 'node:assert/strict';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import { telemetryOf } from '../../src/otlp-client.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';

/** The connection preface of HTTP/2 (RFC 9113, section 3.4), followed by an empty SETTINGS frame. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SETTINGS = Buffer.from('000000040000000000', 'hex');
const VARIABLE = 'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf';

export async function prefaces(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const whole = Buffer.concat([PREFACE, SETTINGS]);
  const cuts = [whole.length, PREFACE.length, 1, 3, 16, 18, PREFACE.length - 1];
  for (const cut of cuts) {
    const connection = await Connection.open(server.port);
    context.atEnd(() => connection.close());
    connection.write(whole.subarray(0, cut));
    // The rest comes in a separate segment. The answer to another request shows that the server has read the first
    // part.
    assert.equal((await client.get('/livez')).status, 200);
    connection.write(whole.subarray(cut));
    assert.ok(await connection.closedWithin(5_000), `closed after ${cut} bytes and the rest`);
    assert.equal(connection.unread.toString('hex'), '', `no byte after ${cut} bytes and the rest`);
  }
  const counted = async (): Promise<number> =>
    ((await telemetryOf(client)) as { grpc_connections: number }).grpc_connections;
  await until(async () => (await counted()) === cuts.length, `${cuts.length} connections counted`);
  const warnings = (): string[] =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes(VARIABLE));
  await until(() => warnings().length > 0, 'a warning that names the variable');
  assert.equal(warnings().length, 1, server.stderr());
  assert.match((JSON.parse(warnings()[0]!) as { level: string }).level, /^WARN$/);
  const other = await Connection.open(server.port);
  context.atEnd(() => other.close());
  other.write('PRI * HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.ok(await other.closedWithin(15_000), 'a request that is none ends as any other');
  assert.equal(await counted(), cuts.length, 'and is no gRPC');
}
