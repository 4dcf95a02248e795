/** Tests one database file with one server after the other: a client sees no difference (rule PRO-08). */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };
import { checkKeys } from '../src/check-keys.ts';
import { checkLog, isSound } from '../src/check-log.ts';
import { DeliveryLog } from '../src/delivery-log.ts';
import { startLoad } from '../src/load.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { snapshot } from '../src/snapshot.ts';

export const SWAP: ScenarioFile = {
  name: 'swap',
  about: 'one file, both servers in turn',
  sharesStreams: true,
  scenarios: [
    {
      name: 'both servers use one file alternately',
      rules: ['PRO-08', 'EVT-13', 'SES-03'],
      uses: 'both',
      run: backAndForth,
    },
    {
      name: 'a stream client sees every event once across swaps',
      rules: ['STR-03', 'PRO-08'],
      uses: 'both',
      run: streamAcross,
    },
    {
      name: 'kill -9 between swaps loses no event',
      rules: ['STO-03', 'PRO-08'],
      uses: 'both',
      run: killBetween,
    },
  ],
};

async function backAndForth(context: ScenarioContext): Promise<void> {
  let before: Record<string, string> | undefined;
  let newest = 0;
  const sent: Record<string, unknown>[] = [];
  for (const [turn, target] of [context.target, context.other, context.target, context.other].entries()) {
    const server = await context.start({ target });
    const client = context.client(server);
    if (before) assert.deepEqual(await snapshot(client), before, `what ${target} reads after the other`);
    const again = await client.ingest(sent);
    const duplicates = sent.length;
    assert.deepEqual(again, { received: 0, ids: [], duplicates, rejected: [], revision: String(newest) });
    const fresh = Array.from({ length: 40 }, (_, index) => sample(turn, index));
    const { ids } = await client.ingest(fresh);
    assert.equal(ids.length, fresh.length);
    assert.ok(ids[0]! > newest, 'ids go on');
    newest = ids.at(-1)!;
    sent.push(...fresh);
    before = await snapshot(client);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  }
}

async function streamAcross(context: ScenarioContext): Promise<void> {
  const seen: number[] = [];
  const acknowledged: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const server = await context.start({ target: turn % 2 === 0 ? context.target : context.other });
    const client = context.client(server);
    const stream = await context.stream(server, '', seen.at(-1) ?? 0);
    for (let request = 0; request < 5; request += 1) {
      acknowledged.push(...(await client.ingest(Array.from({ length: 30 }, () => event()))).ids);
    }
    // The client disconnects before the swap, so that the next server must send the missed events.
    await stream.waitFor(() => stream.ids.length >= 60, '60 events');
    stream.pause();
    seen.push(...stream.ids);
    stream.close();
    if (turn % 3 === 2) await server.kill();
    else await server.stop();
  }
  const server = await context.start();
  const stream = await context.stream(server, '', seen.at(-1));
  await stream.waitFor(() => seen.length + stream.ids.length >= acknowledged.length, 'the rest');
  assert.deepEqual([...seen, ...stream.ids], acknowledged);
}

async function killBetween(context: ScenarioContext): Promise<void> {
  const logFile = context.db('delivery.ndjson');
  const log = new DeliveryLog(logFile);
  context.atEnd(() => log.close());
  const counter = { next: 0 };
  for (let turn = 0; turn < 4; turn += 1) {
    const server = await context.start({ target: turn % 2 === 0 ? context.target : context.other });
    const load = startLoad({ port: server.port, log, senders: 4, batch: 10, prefix: 'swap' }, counter);
    await until(() => load.acknowledged.length >= 10, 'ten acknowledged batches');
    await server.kill();
    await load.stop();
  }
  const server = await context.start();
  const check = checkLog(logFile, context.db());
  assert.ok(isSound(check), JSON.stringify(check, null, 2));
  context.note(`4 kills, ${check.acknowledged} acknowledged, 0 lost, 0 double`);
  await server.stop();
  assert.deepEqual(checkKeys(context.db()).problems, []);
}

/** Names of the optional text fields. */
const TEXTS = Object.entries(CONTRACT.fields).flatMap(([name, { kind }]) =>
  kind === 'text' && !['session_id', 'agent_type'].includes(name) ? [name] : [],
);

/** Returns an event. Together these events use every column, session and statistic. */
function sample(turn: number, index: number): Record<string, unknown> {
  const types = ['tool_use', 'error', 'session_start', 'session_end', 'llm_response'];
  return event({
    ...Object.fromEntries(TEXTS.map((name) => [name, `${name} ${index % 2}`])),
    event_id:
      index % 2 === 0
        ? `swap-${turn}-${index}`
        : `00000000-0000-4000-8000-${String(turn * 1_000 + index).padStart(12, '0')}`,
    session_id: `s${(turn + index) % 7}`,
    agent_type: `agent${index % 3}`,
    event_type: types[index % types.length],
    tool_name: index % 3 === 0 ? `tool é ${index % 5}` : null,
    model: `model${turn}`,
    project: `p${index % 2}`,
    branch: 'main',
    tokens_in: index,
    tokens_out: turn,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    duration_ms: index * 10,
    cost_usd: index / 1_000,
    client_timestamp: '2026-02-18T19:06:41.2319+01:00',
    source: 'hook',
    metadata: { turn, index, text: 'ü'.repeat(index) },
  });
}
