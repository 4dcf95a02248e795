/** Stores events that use every column and every kind of value. */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';

/** Stores 1,200 events of every kind: with and without ids, calls, steps, errors, texts that need escapes. */
export async function fillEveryKind(client: ApiClient): Promise<void> {
  const types = ['tool_use', 'plan_step', 'error', 'session_start', 'llm_response'];
  for (let batch = 0; batch < 6; batch++) {
    const events = Array.from({ length: 200 }, (_, at) => {
      const number = batch * 200 + at;
      return event({
        session_id: `s"é${number % 37}`,
        agent_type: number % 3 === 0 ? 'codex' : 'claude_code',
        event_type: types[number % types.length]!,
        ...(number % 2 === 0 ? { tool_name: `Tool\\${number % 11}`, duration_ms: number } : {}),
        ...(number % 4 === 0 ? {} : { event_id: number % 4 === 1 ? uuidOf(number) : `text "${number}"` }),
        ...(number % 5 === 0 ? { cost_usd: number / 7, tokens_in: 2 ** 52 + number, model: 'a model' } : {}),
        metadata: { text: `\u0001 \ud83d\ude00 ${'x'.repeat(number % 50)}`, number },
      });
    });
    assert.equal((await client.ingest(events)).received, 200);
  }
}

/** Returns the `event_id` of every fourth event from 1 on. */
export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
