/** Tests that the dashboard reports lost telemetry with its reason, and reports nothing when nothing is lost. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Browser, Page } from 'playwright-core';
import OTLP from '../../contract/otlp.json' with { type: 'json' };
import { missingOf } from '../src/telemetry.ts';
import { findingsOf, overflow, shot, untilIds, untilKnown } from './browser.ts';
import { event, onFile, post } from './servers.ts';

let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Posts log records of one agent, each with its attributes. */
async function postLogs(url: string, service: string, records: readonly Record<string, string>[]) {
  const attributes = (of: Record<string, string>) =>
    Object.entries(of).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const logRecords = records.map((record, i) => ({
    timeUnixNano: `${1_771_438_000_000 + i}000000`,
    attributes: attributes(record),
  }));
  const resource = { attributes: attributes({ 'service.name': service }) };
  const response = await fetch(`${url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }),
  });
  assert.equal(response.status, 200);
}

async function postMetrics(url: string, service: string) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  const metrics = [{ sum: { dataPoints: [{}, {}] } }];
  const response = await fetch(`${url}/v1/metrics`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }),
  });
  assert.equal(response.status, 200);
}

/** Opens a connection as gRPC does; resolves once the server has closed it. */
async function speakGrpc(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
}

const CLAUDE_CODE = [
  ...Array.from({ length: 10 }, () => ({ 'event.name': 'unheard_of', 'session.id': 's' })),
  { 'event.name': 'user_prompt' },
  { 'event.name': 'user_prompt' },
  { 'event.name': 'user_prompt', 'session.id': 's', prompt: 'hello' },
];
const IGNORED = [
  'Claude Code: 12 records ignored: 10 unknown events, 2 without a session.',
  'Gemini CLI: sends only metrics, which are not stored. Its logs are needed, too.',
  'Telemetry: 1 record ignored: 1 of an unknown agent.',
];
const GRPC =
  'An exporter speaks gRPC, which the server does not. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf';

const notes = (page: Page) => page.getByRole('list', { name: 'Telemetry that is not shown' });

for (const name of TARGET_NAMES) {
  test(`${name}: the panel of agents names ignored telemetry by agent and reason`, { skip }, async (t) => {
    const server = await onFile(t)(name);
    const { url } = server;
    await post(url, [event()]);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await untilKnown(page);
    assert.equal(await notes(page).count(), 0);
    await postLogs(url, 'claude-code', CLAUDE_CODE.slice(-1));
    await untilIds(page, [2, 1]);
    await postLogs(url, 'claude-code', CLAUDE_CODE.slice(0, -1));
    await postLogs(url, 'something-else', [{ 'event.name': 'started' }]);
    await postMetrics(url, 'gemini-cli');
    await speakGrpc(server.port);
    const panel = page.getByRole('region', { name: 'Agents', exact: true });
    await panel.getByText('An exporter speaks gRPC').waitFor();
    assert.deepEqual(await notes(page).getByRole('listitem').allTextContents(), [GRPC, ...IGNORED]);
    assert.deepEqual([await findingsOf(page), errors], [[], []]);
    for (const width of [1400, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const other = await open(browser, url, { width, height: 900, colorScheme });
        await notes(other.page).scrollIntoViewIfNeeded();
        assert.deepEqual([await overflow(other.page), await findingsOf(other.page)], [0, []]);
        await shot(other.page, `${name}-telemetry-${width}-${colorScheme}`);
        await other.page.close();
      }
    }
  });

  test(`${name}: the empty feed explains why received telemetry is not shown`, { skip }, async (t) => {
    const { url } = await onFile(t)(name);
    const { page, errors } = await open(browser, url);
    t.after(() => page.close());
    await page.getByText('No events yet.').waitFor();
    await untilKnown(page);
    assert.equal(await notes(page).count(), 0);
    await postLogs(url, 'claude-code', CLAUDE_CODE.slice(0, -1));
    const feed = page.locator('.feed-empty');
    await feed.getByText(IGNORED[0]!).waitFor();
    await shot(page, `${name}-telemetry-empty`);
    assert.deepEqual([await findingsOf(page), errors], [[], []]);
  });
}

test('every reason of the contract has its own text', () => {
  for (const reason of OTLP.reasons) {
    const agent = { agent_type: 'codex', logs: 1, spans: 0, points: 0, ignored: { [reason]: 1 } };
    const [text] = missingOf({ agents: [agent] });
    assert.match(text!, /^Codex: 1 record ignored: 1 [a-z ]+\.$/, reason);
  }
});
