/**
 * Made-up sessions of coding agents, several at a time and without an end: prompts, calls of models, tools with their
 * durations and errors, costs.
 *
 * What must stay true: the same seed gives the same sessions, and every event is one that the contract takes. What
 * metadata looks like and how large it is comes from the testkit, which has it from real agents.
 */
import type { EventType, OutgoingEvent } from '@twin-ingest/client';
import { type AgentType, KINDS, type Kind, sizeAt } from '@twin-ingest/testkit/events/kinds.ts';
import { shapeOf } from '@twin-ingest/testkit/events/shapes.ts';
import { filler } from '@twin-ingest/testkit/events/text.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import { merged, type Timed, type Timeline } from './timeline.ts';

/** Who works beside whom. */
const LANES: readonly AgentType[] = [
  ...['claude_code', 'claude_code', 'codex', 'claude_code', 'openhands', 'codex', 'claude_code'],
] as AgentType[];

/** Dollars for a million tokens, in and out: near enough for a demo. */
const MODELS: Readonly<Record<AgentType, readonly (readonly [string, number, number])[]>> = {
  claude_code: [
    ['claude-opus-4-6', 5, 25],
    ['claude-sonnet-4-5', 3, 15],
    ['claude-haiku-4-5', 1, 5],
  ],
  codex: [['gpt-5-codex', 1.25, 10]],
  openhands: [['claude-sonnet-4-5', 3, 15]],
  swe_agent: [['claude-haiku-4-5', 1, 5]],
};
const PROJECTS = ['atlas', 'harbor', 'meadow', 'quill', 'lantern'];
const BRANCHES = ['main', 'main', 'fix/login', 'feat/export', 'chore/deps'];

/** Text in metadata above this makes a demo no livelier. */
const MOST_TEXT_BYTES = 2_000;

const TOOL_ERRORS = 0.07;
const MODEL_ERRORS = 0.02;
const COMMITS = 0.3;
/** The others just fall silent, as sessions do whose terminal was closed. */
const ENDED = 0.85;

export function madeUpSessions(seed: number): Timeline {
  return merged(LANES.map((agent, lane) => workOf(agent, lane, seededRandom(seed * 1_000 + lane))));
}

/** One agent's sessions, one after the other. */
function* workOf(agent: AgentType, lane: number, random: Random): Generator<Timed> {
  // The first begin at once, so that there is something to see.
  let now_ms = lane * 700;
  for (let number = 1; ; number++) {
    for (const timed of sessionOf(agent, `demo-${lane + 1}-${number}`, now_ms, random)) {
      yield timed;
      now_ms = timed.at_ms;
    }
    now_ms += between(random, 2_000, 15_000);
  }
}

function* sessionOf(agent: AgentType, session_id: string, from_ms: number, random: Random): Generator<Timed> {
  const [model, dollars_in, dollars_out] = random.pick(MODELS[agent]);
  const place = { session_id, model, project: random.pick(PROJECTS), branch: random.pick(BRANCHES) };
  let now_ms = from_ms;
  const at = (after_ms: number, event_type: EventType, fields: Record<string, unknown> = {}): Timed => {
    now_ms += after_ms;
    return { at_ms: now_ms, event: eventOf(agent, event_type, place, fields, random) };
  };
  yield at(0, 'session_start');
  const prompts = 1 + random.below(5);
  for (let prompt = 0; prompt < prompts; prompt++) {
    yield at(prompt === 0 ? 400 : between(random, 3_000, 25_000), 'user_prompt');
    const steps = 2 + random.below(6);
    for (let step = 0; step < steps; step++) {
      yield at(between(random, 20, 200), 'llm_request');
      const duration_ms = between(random, 800, 8_000);
      if (random.next() < MODEL_ERRORS) {
        yield at(duration_ms, 'error', { duration_ms });
        continue;
      }
      const tokens_in = 500 + random.below(9_000);
      const tokens_out = 40 + random.below(1_800);
      const nanos = Math.round((tokens_in * dollars_in + tokens_out * dollars_out) * 1_000);
      const tokens = { tokens_in, tokens_out, cache_read_tokens: random.below(120_000) };
      yield at(duration_ms, 'llm_response', { ...tokens, duration_ms, cost_usd: nanos / 1e9 });
      for (let tool = random.below(3); tool >= 0; tool--) {
        // Most tools are quick, some take their time.
        const tool_ms = Math.round(30 * 400 ** random.next());
        const status = random.next() < TOOL_ERRORS ? 'error' : 'success';
        yield at(tool_ms, 'tool_use', { duration_ms: tool_ms, status });
        if (random.next() < 0.15) yield at(5, 'file_change');
      }
    }
    yield at(between(random, 300, 2_000), 'response');
    if (random.next() < COMMITS) yield at(between(random, 500, 3_000), 'git_commit');
  }
  if (random.next() < ENDED) yield at(between(random, 500, 4_000), 'session_end');
}

function eventOf(
  agent_type: AgentType,
  event_type: EventType,
  place: { readonly session_id: string } & Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
  random: Random,
): OutgoingEvent {
  const kind = kindOf(agent_type, event_type);
  const shape = shapeOf(kind, random);
  const bytes = Math.min(sizeAt(kind.sizes, random.next()), MOST_TEXT_BYTES);
  const { tool_name } = shape.fields;
  const metadata = shape.metadata(filler(random, bytes, ''));
  const named = typeof tool_name === 'string' ? { tool_name } : {};
  return { ...place, agent_type, event_type, ...named, ...fields, source: 'hook', metadata };
}

/** Of what no real agent sent, a kind like the agent's most frequent one. */
function kindOf(agent_type: AgentType, event_type: string): Kind {
  const ofAgent = KINDS.filter((kind) => kind.agent_type === agent_type);
  return ofAgent.find((kind) => kind.event_type === event_type) ?? { ...ofAgent[0]!, event_type };
}

function between(random: Random, least: number, most: number): number {
  return least + random.below(most - least);
}
