/** Compares the state of a server with the answers of the model API. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { AgentKind } from '../agents/agent.ts';
import type { Served } from '../api/script.ts';
import {
  expectedAnswers,
  expectedCalls,
  observedAnswers,
  observedCalls,
  roundUsd,
  totalsOf,
} from './expected.ts';
import { type Observed, settled } from './observed.ts';

export interface Expectation {
  readonly agent: AgentKind;
  readonly served: readonly Served[];
  readonly sessions: number;
}

/** Returns the state of the server once it is as expected; fails with the difference otherwise. */
export async function check(client: ApiClient, expectation: Expectation): Promise<Observed> {
  const { agent, served, sessions } = expectation;
  const expected = { answers: expectedAnswers(agent, served), calls: expectedCalls(agent, served), sessions };
  const partsOf = (state: Observed) => ({
    answers: observedAnswers(state.rows),
    calls: observedCalls(agent, state.rows),
    sessions: state.sessions.length,
  });
  const state = await settled(client, (one) => isDeepStrictEqual(partsOf(one), expected));
  assert.deepEqual(partsOf(state), expected);
  for (const { agent_type, ignored } of state.telemetry)
    assert.deepEqual(ignored, {}, `ignored of ${agent_type}`);
  assert.deepEqual([...new Set(state.rows.map(({ agent_type }) => agent_type))], [agent.agentType]);
  for (const session of state.sessions) {
    const own = state.rows.filter(({ session_id }) => session_id === session.id);
    const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = session;
    const total_cost_usd = roundUsd(session.total_cost_usd);
    const totals = { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, total_cost_usd };
    assert.deepEqual(totals, totalsOf(own), `totals of session ${session.id}`);
  }
  return state;
}
