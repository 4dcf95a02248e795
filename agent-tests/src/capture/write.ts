/** Writes the requests of an agent in one scenario, with the expected rows, as a file of `parity-tests/captured`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentKind } from '../agents/agent.ts';
import type { Served } from '../api/script.ts';
import { expectedAnswers, expectedCalls } from '../check/expected.ts';
import type { Sent } from './relay.ts';
import { Scrubber } from './scrub.ts';

export interface Captured {
  readonly agent: AgentKind;
  readonly version: string;
  readonly scenario: string;
  readonly sent: readonly Sent[];
  readonly served: readonly Served[];
  readonly sessions: number;
  /** Pairs of a text of this machine and its replacement. */
  readonly places: readonly (readonly [string, string])[];
}

export function writeCaptured(folder: string, captured: Captured): void {
  const { agent, version, scenario, sent, served, sessions, places } = captured;
  const scrubber = new Scrubber(agent.agentType, places);
  const requests = sent.flatMap(({ path, contentType, body }) => {
    if (!contentType.includes('json')) return [];
    const content = scrubber.request(path, JSON.parse(body.toString()));
    return content === null ? [] : [{ path, body: content }];
  });
  // If hooks name a tool differently, the row's name depends on the order of arrival, so it is not expected.
  const hasOneName = Object.keys(agent.promised.hookTools).length === 0;
  const calls = expectedCalls(agent, served).map(({ tool_name, ...call }) =>
    hasOneName ? { tool_name, ...call } : call,
  );
  const expected = { sessions, answers: expectedAnswers(agent, served), calls };
  mkdirSync(folder, { recursive: true });
  const name = `${agent.name}-${scenario.replaceAll(' ', '-')}.json`;
  const file = { agent_type: agent.agentType, version, scenario, expected, requests };
  writeFileSync(join(folder, name), `${JSON.stringify(file)}\n`);
}
