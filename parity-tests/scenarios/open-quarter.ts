/** Tests sums of all time across the beginnings of quarters of an hour, a clock that is set back, and a kill. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { linesOf, runCommand } from '../src/command-line.ts';
import { moveHours } from '../src/move-hours.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { snapshot } from '../src/snapshot.ts';

export const OPEN_QUARTER: ScenarioFile = {
  name: 'open-quarter',
  about: 'sums of all time across quarters of an hour',
  scenarios: [
    {
      name: 'sums of all time have every event once, in whichever quarters of an hour they came',
      rules: ['STA-01', 'STA-02', 'STA-03', 'STA-06', 'PRO-08', 'BAK-06'],
      uses: 'both',
      run: countAcrossQuarters,
    },
  ],
};

const BATCH = 300;
/** The tokens of each event: the sum of four batches passes the largest integer. */
const TOKENS = Number.MAX_SAFE_INTEGER;
const LARGEST = 2n ** 63n - 1n;

/** How many hours the file moves before each turn, and so in which quarters the events of a turn come. */
const MOVES = [0, -0.5, 0.75, 0, -0.25, -0.75, 0.25, -5, -5];

async function countAcrossQuarters(context: ScenarioContext): Promise<void> {
  let count = 0;
  let before: Record<string, string> | undefined;
  for (const [turn, hours] of MOVES.entries()) {
    if (turn > 0) moveHours(context.db(), hours);
    const server = await context.start({ target: turn % 2 === 0 ? context.target : context.other });
    const client = context.client(server);
    if (before && hours === 0) assert.deepEqual(await snapshot(client), before, `turn ${turn}`);
    await client.ingest(Array.from({ length: BATCH }, (_, at) => sample(turn, at)));
    count += BATCH;
    await assertTotals(client, count);
    before = await snapshot(client);
    if (turn % 3 === 1) await server.kill();
    else await server.stop();
    await assertSound(context, count);
  }
}

interface Stats {
  readonly total_events: number;
  readonly total_tokens_in: number;
  readonly total_cost_usd: number;
  readonly models: readonly unknown[];
  readonly tools: readonly { readonly count: number }[];
}

function sample(turn: number, at: number): Record<string, unknown> {
  return event({
    session_id: `session ${at % 3}`,
    agent_type: `agent ${at % 2}`,
    tool_name: `tool ${turn % 2}`,
    model: 'a model',
    duration_ms: at,
    tokens_in: TOKENS,
    cost_usd: 0.5,
  });
}

/** Checks the sums of all time after so many events in whole batches. */
async function assertTotals(client: ApiClient, count: number): Promise<void> {
  const exact = BigInt(count) * BigInt(TOKENS);
  const tokens = Number(exact > LARGEST ? LARGEST : exact);
  const reply = await client.get('/api/stats');
  const { total_events, total_tokens_in, total_cost_usd, models, tools } = reply.json<Stats>();
  assert.deepEqual(
    { total_events, total_tokens_in, total_cost_usd, models },
    {
      total_events: count,
      total_tokens_in: tokens,
      total_cost_usd: count / 2,
      models: [{ name: 'a model', count }],
    },
  );
  const calls = tools.reduce((sum, tool) => sum + tool.count, 0);
  assert.equal(calls, count);
}

async function assertSound(context: ScenarioContext, events: number): Promise<void> {
  const file = context.db();
  const result = await runCommand(context.target, ['verify', file], { cwd: context.folder });
  assert.deepEqual(linesOf(result), [{ event: 'verify', file, events, findings: 0 }]);
}
